// Tests that every model in configs/models loads without a warning and, if a formulation applies, moves.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "core/dynamics/dynamics.hpp"
#include "core/integrators/integrator.hpp"
#include "services/files/diagnostics.hpp"
#include "services/files/model_file.hpp"

namespace kinloop {
namespace {

namespace fs = std::filesystem;

constexpr int kSteps = 100;
constexpr double kDt_s = 1e-3;

fs::path folder() { return fs::path(KINLOOP_SOURCE_DIR) / "configs" / "models"; }

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder())) {
    if (entry.path().extension() == ".yaml") all.push_back(entry.path().stem().string());
  }
  std::sort(all.begin(), all.end());
  return all;
}

class ConfigModelTest : public testing::TestWithParam<std::string> {};

TEST_P(ConfigModelTest, LoadsWithoutAWarningAndMoves) {
  const auto file = compile_model_file(folder() / (GetParam() + ".yaml"));
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

INSTANTIATE_TEST_SUITE_P(All, ConfigModelTest, testing::ValuesIn(names()),
                         [](const testing::TestParamInfo<std::string>& param) { return param.param; });

}  // namespace
}  // namespace kinloop
