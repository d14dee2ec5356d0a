// Tests that every model in configs/models loads without a warning and, if a formulation applies, moves.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "core/dynamics/forward_dynamics.hpp"
#include "core/integrators/integrator.hpp"
#include "services/base/diagnostics.hpp"
#include "services/files/model_file.hpp"
#include "tests/support/error_text.hpp"
#include "tests/support/model_files.hpp"
#include "tests/support/model_text.hpp"

namespace kinloop {
namespace {

constexpr int kSteps = 100;
constexpr double kDt_s = 1e-3;

class ConfigModelTest : public testing::TestWithParam<std::string> {};

TEST_P(ConfigModelTest, LoadsWithoutAWarningAndMoves) {
  const auto file = compile_model_file(test::config_path(GetParam()));
  ASSERT_TRUE(file) << to_text(file.error());
  EXPECT_EQ(to_text(file->warnings), "");
  const Model& model = file->model;
  State state(model);
  Workspace ws(model);
  const Loads loads(model);
  auto dynamics = make_dynamics("auto", model);
  auto integrator = make_integrator("linearly_implicit", model);  // some are stiff
  ASSERT_TRUE(dynamics) << dynamics.error().what;
  ASSERT_TRUE(integrator) << integrator.error().what;

  for (int i = 0; i < kSteps; ++i) {
    ASSERT_EQ((*integrator)->step(model, loads, kDt_s, **dynamics, state, ws), StepStatus::kOk) << "step " << i;
  }

  EXPECT_TRUE(state.q().allFinite());
  if (model.has_loops()) return;  // some spin fast, some are locked: their own tests know how they move
  EXPECT_GT((state.q() - model.initial_q()).norm(), 1e-6) << "nothing moves";
  EXPECT_LT((state.q() - model.initial_q()).norm(), 1.0) << "it flies apart";
}

INSTANTIATE_TEST_SUITE_P(All, ConfigModelTest, testing::ValuesIn(test::config_names()),
                         [](const testing::TestParamInfo<std::string>& param) { return param.param; });

}  // namespace
}  // namespace kinloop
