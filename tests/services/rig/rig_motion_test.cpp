// Tests that the rigs of configs/rigs move as machines do: none fails, cylinders extend and retract, the rest holds.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

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

std::size_t sensor(const LoadedRig& rig, const std::string& name) {
  const auto& all = rig.spec.plant.sensors;
  const auto found = std::find_if(all.begin(), all.end(), [&](const SensorSpec& s) { return s.name == name; });
  return static_cast<std::size_t>(found - all.begin());
}

std::size_t actuator(const LoadedRig& rig, const std::string& name) {
  const auto& all = rig.spec.plant.actuators;
  const auto found = std::find_if(all.begin(), all.end(), [&](const ActuatorSpec& a) { return a.name == name; });
  return static_cast<std::size_t>(found - all.begin());
}

TEST(RigMotion, TheCraneSetsItsLoadDownAndLiftsItAgain) {
  constexpr double kWeight_N = 1500.0 * 9.81;
  const LoadedRig rig = loaded("crane");
  const auto plant = std::move(Plant::make(rig.model.model, rig.spec.plant)).value();
  State state = plant->initial_state();
  std::vector<Reading> readings;
  StepInput lower = idle_input(rig.spec);
  lower.command[actuator(rig, "winch")] = 40.0;
  StepInput raise = lower;
  raise.command[actuator(rig, "winch")] = -40.0;
  const auto reading = [&](const char* name) { return readings[sensor(rig, name)].value; };

  ASSERT_TRUE(run(*plant, idle_input(rig.spec), 1.0, state, readings));
  const double held_N = reading("rope_tension");
  const double held_m = reading("rope_length");
  ASSERT_TRUE(run(*plant, lower, 12.0, state, readings));
  const double slack_N = reading("rope_tension");
  const double standing_N = reading("road_force");
  ASSERT_TRUE(run(*plant, raise, 12.0, state, readings));

  EXPECT_NEAR(held_N, kWeight_N, 0.1 * kWeight_N) << "it swings";
  EXPECT_NEAR(held_m, 2.5, 0.01);
  EXPECT_NEAR(slack_N, 0.0, 300.0) << "the noise of the sensor is 50 N";
  EXPECT_NEAR(standing_N, kWeight_N, 0.02 * kWeight_N);
  EXPECT_EQ(reading("road_force"), 0.0);
  EXPECT_GT(reading("rope_tension"), 0.8 * kWeight_N);
}

TEST(RigMotion, AWheelLeavesThePlateThatShakesItHard) {
  const LoadedRig rig = loaded("double_wishbone");
  const auto plant = std::move(Plant::make(rig.model.model, rig.spec.plant)).value();
  const auto least_load_N = [&](double force_N) {
    State state = plant->initial_state();
    std::vector<Reading> readings;
    StepInput input = idle_input(rig.spec);
    double least_N = 1e9;
    for (int i = 0; i < 200; ++i) {
      input.command[actuator(rig, "shaker")] = force_N * std::sin(2.0 * std::numbers::pi * 12.0 * i * 5e-3);
      if (!run(*plant, input, 5e-3, state, readings)) return -1e9;
      least_N = std::min(least_N, readings[sensor(rig, "wheel_load")].value);
    }
    return least_N;
  };
  constexpr double kNoise_N = 50.0;  // ten times that of the sensor

  EXPECT_GT(least_load_N(1e3), 1e3);
  EXPECT_NEAR(least_load_N(18e3), 0.0, kNoise_N);
}

}  // namespace
}  // namespace kinloop
