// The double pendulum against a trajectory that another program integrated to 1e-12.
#include <gtest/gtest.h>

#include "core/integrators/integrator.hpp"
#include "services/files/load_model.hpp"
#include "tests/support/trajectory_rows.hpp"
#include "tests/support/vectors.hpp"

namespace kinloop {
namespace {

TEST(Trajectory, OfADoublePendulumIsFollowed) {
  const auto loaded = load_model(test::trajectory_path("double_pendulum.json"));
  ASSERT_TRUE(loaded);
  const Model& model = loaded->model;
  const auto rows = test::trajectory_rows("double_pendulum.csv");
  ASSERT_EQ(rows.size(), 201U);
  constexpr int kStepsPerRow = 50;
  constexpr double kRow_s = 0.01;
  // rk4 with dt = 0.2 ms errs by about (w dt)^4 = 1e-11 per radian, and this motion amplifies it little in 2 s.
  constexpr double kTolerance = 1e-9;
  const auto dynamics = make_dynamics("rfda", model);
  const auto integrator = make_integrator("rk4", model);
  ASSERT_TRUE(dynamics && integrator);
  State state(model);
  Workspace ws(model);
  const Loads loads(model);

  double worst = 0.0;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    for (int step = 0; step < kStepsPerRow; ++step) {
      ASSERT_EQ((*integrator)->step(model, loads, kRow_s / kStepsPerRow, **dynamics, state, ws), StepStatus::kOk);
    }
    for (Eigen::Index j = 0; j < 2; ++j) {
      worst = std::max(worst, std::abs(state.q()[j] - rows[i][static_cast<std::size_t>(1 + j)]));
      worst = std::max(worst, std::abs(state.v()[j] - rows[i][static_cast<std::size_t>(3 + j)]));
    }
  }

  EXPECT_NEAR(state.time_s(), 2.0, 1e-9);
  EXPECT_LT(worst, kTolerance);
}

}  // namespace
}  // namespace kinloop
