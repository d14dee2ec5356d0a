// Closed loops against trajectories that another program integrated to 1e-12: the five-bar of paper 000 (its Figure 7),
// the N-four-bar through ten flat positions, Andrews' squeezer.
#include <gtest/gtest.h>

#include "core/integrators/integrator.hpp"
#include "services/files/load_model.hpp"
#include "tests/support/trajectory_rows.hpp"
#include "tests/support/vectors.hpp"

namespace kinloop {
namespace {

struct Run {
  std::string name;
  double until_s;
  int steps_per_row;
  double tolerance;  // of positions and velocities, relative to the largest of each
};

/// rk4's own error at these steps; the N-four-bar adds what is left in its flat positions.
const std::array kRuns = {Run{"fivebar", 1.2, 10, 1e-9}, Run{"nfourbar5", 10.0, 20, 1e-7},
                          Run{"andrews", 0.05, 20, 1e-7}};
constexpr std::array kMethods = {"semi_recursive_1", "semi_recursive_2", "partition", "rcr"};

class LoopTrajectory : public testing::TestWithParam<std::tuple<Run, const char*>> {};

TEST_P(LoopTrajectory, IsFollowed) {
  const auto& [run, method] = GetParam();
  const auto loaded = load_model(test::trajectory_path(run.name + ".json"));
  ASSERT_TRUE(loaded);
  const Model& model = loaded->model;
  const auto rows = test::trajectory_rows(run.name + ".csv");
  const auto dynamics = make_dynamics(method, model);
  const auto integrator = make_integrator("rk4", model);
  ASSERT_TRUE(dynamics && integrator);
  State state(model);
  Workspace ws(model);
  Loads loads(model);
  if (!loaded->tau.empty()) loads.tau = Eigen::Map<const VectorX>(loaded->tau.data(), model.nv());

  double worst_q = 0.0;
  double worst_v = 0.0;
  double scale_v = 1.0;
  std::size_t compared = 0;
  for (std::size_t i = 1; i < rows.size() && rows[i][0] <= run.until_s + 1e-9; ++i) {
    const double dt_s = (rows[i][0] - rows[i - 1][0]) / run.steps_per_row;
    for (int step = 0; step < run.steps_per_row; ++step) {
      ASSERT_EQ((*integrator)->step(model, loads, dt_s, **dynamics, state, ws), StepStatus::kOk);
    }
    for (int j = 0; j < model.nv(); ++j) {
      worst_q = std::max(worst_q, std::abs(state.q()[j] - rows[i][static_cast<std::size_t>(1 + j)]));
      const double expected_v = rows[i][static_cast<std::size_t>(1 + model.nq() + j)];
      worst_v = std::max(worst_v, std::abs(state.v()[j] - expected_v));
      scale_v = std::max(scale_v, std::abs(expected_v));
    }
    ++compared;
  }

  EXPECT_GT(compared, 100U);
  EXPECT_LT(worst_q, run.tolerance);
  EXPECT_LT(worst_v / scale_v, run.tolerance);
}

INSTANTIATE_TEST_SUITE_P(All, LoopTrajectory, testing::Combine(testing::ValuesIn(kRuns), testing::ValuesIn(kMethods)),
                         [](const auto& of) { return std::get<0>(of.param).name + "_" + std::get<1>(of.param); });

}  // namespace
}  // namespace kinloop
