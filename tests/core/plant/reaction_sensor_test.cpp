// Tests reactions as signals of sensors: a pendulum's bearing by hand, and what statics leave open.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/allocation_count.hpp"
#include "tests/support/plants.hpp"

namespace kinloop {
namespace {

SensorSpec reaction_sensor(const std::string& joint, const std::string& component) {
  SensorSpec sensor;
  sensor.name = joint + "_" + component;
  sensor.signal = "reaction." + joint + "." + component;
  return sensor;
}

PlantSpec reaction_plant(const std::string& joint) {
  PlantSpec spec;
  spec.levels = {{"auto", "rk4", 1, {}}};
  for (const char* component : {"fx", "fy", "fz", "mx", "my", "mz"}) {
    spec.sensors.push_back(reaction_sensor(joint, component));
  }
  return spec;
}

// A rod of mass m released at the angle q: m g cos q along the rod, a quarter of m g sin q across.
TEST(ReactionSensor, ReadsWhatTheBearingOfAPendulumCarries) {
  const Model model = mechanisms::compiled(mechanisms::pendulum());
  const auto plant = plants::made(model, reaction_plant(model.joint_name(1)));
  State state = plant->initial_state();
  state.q()[0] = 1.0;
  state.v()[0] = 0.0;
  std::vector<double> y(plant->sensor_count());

  plant->true_signals(state, y);

  const double weight_N = model.body(1).mass * 9.81;
  const double along_N = weight_N * std::cos(1.0);
  const double across_N = 0.25 * weight_N * std::sin(1.0);
  EXPECT_NEAR(std::hypot(y[0], y[1], y[2]), std::hypot(along_N, across_N), 1e-12 * weight_N);
  EXPECT_NEAR(std::hypot(y[3], y[4], y[5]), 0.0, 1e-12 * weight_N) << "a bearing without friction";
}

TEST(ReactionSensor, IsInvalidWhereStaticsLeaveItOpenAndSoIsWhatADelayMakesOfIt) {
  const Model model = mechanisms::compiled(mechanisms::four_bar());
  for (const double delay_s : {0.0, 1e-3, 2.5e-3}) {
    PlantSpec spec = reaction_plant(model.loops()[0].name);
    for (SensorSpec& sensor : spec.sensors) {
      sensor.settings.delay_s = delay_s;
      sensor.settings.noise = 1e-3;
    }
    const auto plant = plants::made(model, spec);
    State state = plant->initial_state();
    std::vector<Reading> readings(plant->sensor_count());
    for (int i = 0; i < 10; ++i) {
      ASSERT_TRUE(is_done(plant->step(plants::input_of(*plant, 0.0), state)));

      plant->sense(state, readings);

      const bool is_valid[] = {true, true, false, false, false, true};
      for (std::size_t s = 0; s < readings.size(); ++s) EXPECT_EQ(readings[s].invalid, !is_valid[s]) << s;
      for (const Reading& reading : readings) EXPECT_TRUE(std::isfinite(reading.value));
    }
    EXPECT_TRUE(plant->accepts({state.block().data(), static_cast<std::size_t>(state.block().size())}))
        << "what is none is not kept as what is no number";
  }
}

TEST(ReactionSensor, IsWarnedOfWhereItHasNoValueAtTheStart) {
  const Model model = mechanisms::compiled(mechanisms::four_bar());

  const auto plant = plants::made(model, reaction_plant(model.joint_name(1)));

  std::vector<std::string> of;
  for (const Error& warning : plant->warnings()) {
    if (warning.what.find("redundant constraints") != std::string::npos) of.push_back(warning.where);
  }
  EXPECT_EQ(of, (std::vector<std::string>{"sensors[2].signal", "sensors[3].signal", "sensors[4].signal"}));
}

TEST(ReactionSensor, AllocatesNothing) {
  const Model model = mechanisms::compiled(mechanisms::n_four_bar(5, 0.8, 1.0));
  const auto plant = plants::made(model, reaction_plant(model.joint_name(2)));
  State state = plant->initial_state();
  std::vector<Reading> readings(plant->sensor_count());
  const StepInput input = plants::input_of(*plant, 0.0);

  const AllocationCount allocations;
  for (int i = 0; i < 20; ++i) {
    plant->step(input, state);
    plant->sense(state, readings);
  }

  EXPECT_EQ(allocations.value(), 0);
}

}  // namespace
}  // namespace kinloop
