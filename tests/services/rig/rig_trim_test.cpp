// Tests that the project's machines stand still once they are trimmed where they start.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/analysis/trim.hpp"
#include "services/rig/rig_file.hpp"
#include "tests/support/model_files.hpp"

namespace kinloop {
namespace {

Result<Trim> trimmed_rig(Plant& plant, const PlantSpec& spec) {
  StepInput input;
  input.count = static_cast<std::uint32_t>(plant.actuator_count());
  for (std::size_t i = 0; i < input.count; ++i) input.command[i] = spec.actuators[i].initial;
  TrimSettings settings;
  settings.holds_coordinates = true;
  return trim(plant, plant.initial_state(), input, settings);
}

TEST(RigTrim, TheHexapodHoldsStillAfterIt) {
  const auto rig = load_rig(test::rig_path("stewart"));
  ASSERT_TRUE(rig);
  const auto plant = Plant::make(rig->model.model, rig->spec.plant);
  ASSERT_TRUE(plant);

  const Result<Trim> found = trimmed_rig(**plant, rig->spec.plant);

  ASSERT_TRUE(found) << found.error().what;
  EXPECT_TRUE(found->is_reached) << found->residual;
  State state = found->state;
  for (int i = 0; i < 500; ++i) ASSERT_TRUE(is_done((*plant)->step(found->input, state)));
  EXPECT_LT(state.v().lpNorm<Eigen::Infinity>(), 1e-6);
}

TEST(RigTrim, ShutValvesThatLeakAreNamed) {
  const auto rig = load_rig(test::rig_path("excavator"));
  ASSERT_TRUE(rig);
  const auto plant = Plant::make(rig->model.model, rig->spec.plant);
  ASSERT_TRUE(plant);

  const Result<Trim> found = trimmed_rig(**plant, rig->spec.plant);

  // The pressures that carry the load are found; oil that leaks past the pistons is all that still changes.
  ASSERT_TRUE(found) << found.error().what;
  EXPECT_FALSE(found->is_reached);
  EXPECT_THAT(found->missing, testing::Contains(testing::HasSubstr("pressure_a.arm")));
  State state = found->state;
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(is_done((*plant)->step(found->input, state)));
  EXPECT_LT(state.v().lpNorm<Eigen::Infinity>(), 1e-2);
}

}  // namespace
}  // namespace kinloop
