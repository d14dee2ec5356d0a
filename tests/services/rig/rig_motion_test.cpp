// Tests that the rigs of configs/rigs move as machines do: none fails, cylinders extend and retract, the rest holds.
#include <gtest/gtest.h>

#include "core/plant/plant.hpp"
#include "services/rig/rig_file.hpp"
#include "tests/support/model_files.hpp"

namespace kinloop {
namespace {

LoadedRig loaded(const std::string& name) { return std::move(load_rig(test::rig_path(name))).value(); }

/// The first commands of the rig, as if nobody sent any.
StepInput idle_input(const RigSpec& rig) {
  StepInput input;
  input.count = static_cast<std::uint32_t>(rig.plant.actuators.size());
  for (std::size_t i = 0; i < input.count; ++i) input.command[i] = rig.plant.actuators[i].initial;
  return input;
}

/// Steps for that long; false where a step fails.
bool run(Plant& plant, const StepInput& input, double duration_s, State& state, std::vector<Reading>& readings) {
  readings.resize(plant.sensor_count());
  const auto steps = static_cast<int>(duration_s / plant.spec().dt_s);
  for (int i = 0; i < steps; ++i) {
    if (!is_done(plant.step(input, state))) return false;
    plant.sense(state, readings);
  }
  return state.block().allFinite();
}

TEST(RigMotion, EveryRigRunsWithoutCommands) {
  for (const std::string& name : test::rig_names()) {
    const LoadedRig rig = loaded(name);
    const auto plant = std::move(Plant::make(rig.model.model, rig.spec.plant)).value();
    State state = plant->initial_state();
    std::vector<Reading> readings;

    EXPECT_TRUE(run(*plant, idle_input(rig.spec), 2.0, state, readings)) << name;
  }
}

TEST(RigMotion, TheExcavatorsBoomRisesFallsAndHolds) {
  const LoadedRig rig = loaded("excavator");
  const auto plant = std::move(Plant::make(rig.model.model, rig.spec.plant)).value();
  State state = plant->initial_state();
  std::vector<Reading> readings;
  const StepInput hold = idle_input(rig.spec);
  StepInput up = hold;
  up.command[0] = 0.4;
  StepInput down = hold;
  down.command[0] = -0.4;

  ASSERT_TRUE(run(*plant, hold, 1.0, state, readings));
  const double start_m = readings[0].value;
  const double arm_m = readings[1].value;
  ASSERT_TRUE(run(*plant, up, 1.0, state, readings));
  const double raised_m = readings[0].value;
  ASSERT_TRUE(run(*plant, hold, 1.0, state, readings));
  const double held_m = readings[0].value;
  ASSERT_TRUE(run(*plant, down, 1.0, state, readings));
  const double lowered_m = readings[0].value;

  EXPECT_GT(raised_m - start_m, 0.02);
  EXPECT_LT(raised_m - start_m, 0.6) << "a pump of 400 L/min";
  EXPECT_NEAR(held_m, raised_m, 0.05) << "shut valves hold, but for the swing that stopping leaves";
  EXPECT_LT(lowered_m, held_m - 0.02);
  EXPECT_NEAR(readings[1].value, arm_m, 0.02) << "the arm's valve was shut";
}

}  // namespace
}  // namespace kinloop
