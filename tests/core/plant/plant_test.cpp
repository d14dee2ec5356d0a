// Tests that a plant steps as its parts do, and that its State holds all of it.
#include "core/plant/plant.hpp"

#include <gtest/gtest.h>

#include "tests/support/allocation_count.hpp"
#include "tests/support/plants.hpp"
#include "tests/support/simulation.hpp"

namespace kinloop {
namespace {

using mechanisms::compiled;
using plants::driven_pendulum;
using plants::input_of;
using plants::made;

/// Steps and senses; what the sensors showed last.
std::vector<Reading> run(Plant& plant, State& state, int steps, double command) {
  std::vector<Reading> readings(plant.sensor_count());
  for (int i = 0; i < steps; ++i) {
    EXPECT_TRUE(is_done(plant.step(input_of(plant, command), state)));
    plant.sense(state, readings);
  }
  return readings;
}

PlantSpec pushed(const std::string& joint, const std::string& integrator) {
  PlantSpec spec;
  spec.levels = {{"auto", integrator, 1, {}}};
  ActuatorSpec force;
  force.name = "force";
  force.joint = joint;
  spec.actuators = {force};
  return spec;
}

TEST(Plant, AForceActsAsALoadDoes) {
  const Model model = compiled(mechanisms::double_pendulum());
  const auto plant = made(model, pushed(model.speed_name(1), "rk4"));
  State state = plant->initial_state();
  Simulation reference(model, "rk4", plant->dynamics_name(0));
  reference.loads.tau[1] = 0.7;

  run(*plant, state, 500, 0.7);
  ASSERT_EQ(reference.run(1e-3, 500), StepStatus::kOk);

  EXPECT_EQ(state.q(), reference.state.q());
  EXPECT_EQ(state.v(), reference.state.v());
  EXPECT_EQ(state.step(), 500U);
}

TEST(Plant, SubStepsAreStepsWithTheCommandHeld) {
  const Model model = compiled(mechanisms::pendulum());
  PlantSpec coarse = pushed(model.speed_name(0), "rk4");
  coarse.levels[0].substeps = 4;
  PlantSpec fine = pushed(model.speed_name(0), "rk4");
  fine.dt_s = 1e-3 / 4;
  const auto with_substeps = made(model, coarse);
  const auto with_steps = made(model, fine);
  State a = with_substeps->initial_state();
  State b = with_steps->initial_state();

  run(*with_substeps, a, 100, 0.3);
  run(*with_steps, b, 400, 0.3);

  EXPECT_EQ(a.q(), b.q());
  EXPECT_EQ(a.v(), b.v());
}

TEST(Plant, AStateTakenOutAndPutIntoAnotherPlantGoesOnWithTheSameBits) {
  const Model model = compiled(mechanisms::pendulum());
  const auto first = made(model, driven_pendulum());
  const auto second = made(model, driven_pendulum());
  State state = first->initial_state();
  run(*first, state, 137, 12.0);
  State copy = state;

  run(*first, state, 200, -5.0);
  run(*second, copy, 200, -5.0);

  EXPECT_EQ(state.block(), copy.block());
}

TEST(Plant, LoopsAccelerationsAndChoicesAreInTheStateToo) {
  ModelSpec mechanism = mechanisms::config("five_bar");
  const Model model = compiled(mechanism);
  PlantSpec spec = pushed(model.speed_name(0), "semi_implicit_euler");
  for (const char* dynamics : {"partition", "rcr", "semi_recursive_2"}) {
    spec.levels[0].dynamics = dynamics;
    SensorSpec accelerometer;
    accelerometer.name = "a";
    accelerometer.signal = "a." + model.speed_name(1);
    spec.sensors = {accelerometer};
    const auto first = made(model, spec);
    const auto second = made(model, spec);
    State state = first->initial_state();
    run(*first, state, 400, 0.5);
    State copy = state;

    run(*first, state, 800, 0.2);
    run(*second, copy, 800, 0.2);

    EXPECT_EQ(state.block(), copy.block()) << dynamics;
  }
}

TEST(Plant, FrozenItStandsStillWhileItsSensorsGoOn) {
  const Model model = compiled(mechanisms::pendulum());
  const auto plant = made(model, driven_pendulum());
  State state = plant->initial_state();
  run(*plant, state, 50, 3.0);
  const VectorX q = state.q();
  const double time_s = state.time_s();
  StepInput frozen = input_of(*plant, 3.0);
  frozen.frozen = 1;
  std::vector<Reading> readings(plant->sensor_count());

  ASSERT_EQ(plant->step(frozen, state), StepStatus::kOk);
  plant->sense(state, readings);
  const double before = readings[1].value;
  ASSERT_EQ(plant->step(frozen, state), StepStatus::kOk);
  plant->sense(state, readings);

  EXPECT_EQ(state.q(), q);
  EXPECT_EQ(state.time_s(), time_s);
  EXPECT_EQ(state.step(), 52U);
  EXPECT_NE(readings[1].value, before) << "noise belongs to the sensor";
}

TEST(Plant, WhatIsOnItsWayStandsStillWithThePlant) {
  const Model model = compiled(mechanisms::pendulum());
  PlantSpec spec = pushed(model.speed_name(0), "semi_implicit_euler");
  spec.actuators[0].chain.delay_s = 10e-3;
  const auto plant = made(model, spec);
  State straight = plant->initial_state();
  State with_a_rest = plant->initial_state();

  for (int i = 0; i < 40; ++i) {
    const StepInput input = input_of(*plant, std::sin(0.3 * i));
    plant->step(input, straight);
    plant->step(input, with_a_rest);
    if (i != 20) continue;
    StepInput frozen = input;
    frozen.frozen = 1;
    for (int k = 0; k < 7; ++k) plant->step(frozen, with_a_rest);
  }

  EXPECT_EQ(straight.q(), with_a_rest.q());
  EXPECT_EQ(straight.v(), with_a_rest.v());
}

TEST(Plant, AnotherLevelStartsItsHistoryAfresh) {
  const Model model = compiled(mechanisms::pendulum());
  const auto plant = made(model, driven_pendulum());
  State state = plant->initial_state();
  run(*plant, state, 10, 0.0);
  ASSERT_GT(state.history_count(), 0);
  StepInput cheaper = input_of(*plant, 0.0);
  cheaper.level = 1;

  ASSERT_EQ(plant->step(cheaper, state), StepStatus::kOk);

  EXPECT_EQ(state.level(), 1);
  EXPECT_EQ(state.history_count(), 0);
}

TEST(Plant, AFailedStepLeavesEverythingAsItWas) {
  const Model model = compiled(mechanisms::pendulum());
  PlantSpec spec = driven_pendulum();
  spec.actuators[0].kind = ActuatorKind::kForce;
  spec.actuators[0].chain = {};
  spec.sensors.pop_back();  // of the motor's current
  const auto plant = made(model, spec);
  State state = plant->initial_state();
  run(*plant, state, 10, 1.0);
  const VectorX before = state.block();

  const StepStatus status = plant->step(input_of(*plant, 1.7e308), state);

  EXPECT_FALSE(is_done(status));
  EXPECT_EQ(state.block(), before);
}

TEST(Plant, ACylinderPushesAndItsPressuresCanBeSensed) {
  const Model model = compiled(mechanisms::config("cart_pole"));
  constexpr int kCart = 0;
  PlantSpec spec = pushed(model.speed_name(kCart), "semi_implicit_euler");
  spec.actuators[0].kind = ActuatorKind::kCylinder;
  spec.actuators[0].pump = "pump";
  spec.pumps = {{"pump", {}}};
  for (const char* signal : {"pressure_a.force", "pressure_b.force", "pressure.pump", "force.force"}) {
    SensorSpec sensor;
    sensor.name = signal;
    sensor.signal = signal;
    spec.sensors.push_back(sensor);
  }
  const auto plant = made(model, spec);
  State state = plant->initial_state();

  const std::vector<Reading> readings = run(*plant, state, 20, 0.5);

  const CylinderSettings& c = spec.actuators[0].cylinder;
  const double area_a = M_PI / 4.0 * c.bore_m * c.bore_m;
  const double area_b = area_a - M_PI / 4.0 * c.rod_m * c.rod_m;
  EXPECT_NEAR(readings[3].value, readings[0].value * area_a - readings[1].value * area_b,
              1e-9 * std::abs(readings[3].value));
  EXPECT_GT(readings[2].value, 0.0);
}

TEST(Plant, SaysWhichFieldIsWrong) {
  const Model model = compiled(mechanisms::pendulum());
  PlantSpec spec = driven_pendulum();
  spec.sensors[1].signal = "q.nothing";

  const auto plant = Plant::make(model, spec);

  ASSERT_FALSE(plant);
  EXPECT_EQ(plant.error().where, "sensors[1].signal");
}

TEST(Plant, AStepDoesNotAllocate) {
  const Model model = compiled(mechanisms::config("four_bar"));
  PlantSpec spec = driven_pendulum();
  spec.actuators[0].joint = model.speed_name(0);
  spec.sensors[0].signal = "q." + model.speed_name(0);
  spec.sensors[1].signal = "a." + model.speed_name(0);
  const auto plant = made(model, spec);
  State state = plant->initial_state();
  std::vector<Reading> readings(plant->sensor_count());
  StepInput input = input_of(*plant, 1.0);

  const AllocationCount allocations;
  for (int i = 0; i < 200; ++i) {
    input.level = i / 50 % 2;
    plant->step(input, state);
    plant->sense(state, readings);
  }

  EXPECT_EQ(allocations.value(), 0);
}

}  // namespace
}  // namespace kinloop
