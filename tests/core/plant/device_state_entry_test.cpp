// Tests that the list of what a plant remembers is complete, and that nothing in it is idle.
#include "core/plant/device_state_entry.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/plants.hpp"

namespace kinloop {
namespace {

using mechanisms::compiled;
using plants::input_of;
using plants::made;
using testing::ElementsAre;

std::vector<std::string> names_of(const std::vector<DeviceStateEntry>& entries) {
  std::vector<std::string> names;
  for (const DeviceStateEntry& entry : entries) names.push_back(entry.name);
  return names;
}

/// What the sensors see in some steps to come.
std::vector<double> future(Plant& plant, State state) {
  std::vector<double> seen;
  for (int i = 0; i < 8; ++i) {
    EXPECT_TRUE(is_done(plant.step(input_of(plant, 2.0), state)));
    std::vector<double> row(plant.sensor_count());
    plant.true_signals(state, row);
    seen.insert(seen.end(), row.begin(), row.end());
  }
  return seen;
}

TEST(DeviceStateEntry, EveryEntryAltersTheFutureAndAllOthersDoNot) {
  const Model model = compiled(mechanisms::pendulum());
  for (const double delay_s : {0.0, 0.4e-3, 1e-3, 2.5e-3}) {
    PlantSpec spec = plants::driven_pendulum();
    spec.actuators[0].chain.delay_s = delay_s;
    spec.actuators[0].chain.rate_per_s = 1e4;
    const auto plant = made(model, spec);
    State state = plant->initial_state();
    for (int i = 0; i < 11; ++i) ASSERT_TRUE(is_done(plant->step(input_of(*plant, 1.0), state)));
    const std::vector<double> undisturbed = future(*plant, state);
    std::vector<char> listed(static_cast<std::size_t>(state.device_state().size()), 0);
    for (const DeviceStateEntry& entry : plant->device_state_entries(state)) {
      listed[static_cast<std::size_t>(entry.at)] = 1;
    }

    // Faults and forces come last: they are somebody's doing, not memory of the plant.
    const SignalFaults faults(spec.sensors.size() + 1, spec.longest_fault_delay_s, spec.dt_s, spec.seed);
    const auto others = static_cast<std::size_t>(faults.state_size() + OutsideForces::state_size());
    for (std::size_t i = 1; i < listed.size() - others; ++i) {  // 0 counts steps
      State disturbed = state;
      disturbed.device_state()[static_cast<Eigen::Index>(i)] += 20.0;
      EXPECT_EQ(future(*plant, disturbed) != undisturbed, listed[i] != 0) << "delay " << delay_s << ", double " << i;
    }
  }
}

TEST(DeviceStateEntry, WhatAChainDoesNotDoItDoesNotRemember) {
  const Model model = compiled(mechanisms::pendulum());
  PlantSpec spec = plants::driven_pendulum();
  spec.actuators[0].chain = {};
  spec.actuators[0].motor.inductance_H = 0.0;
  spec.sensors.clear();
  const auto plant = made(model, spec);

  EXPECT_TRUE(plant->device_state_entries(plant->initial_state()).empty());
}

TEST(DeviceStateEntry, AForceIsListedWhereASensorCouldNotBeExplainedWithoutIt) {
  const Model model = compiled(mechanisms::pendulum());
  PlantSpec spec = plants::driven_pendulum();
  spec.actuators[0].kind = ActuatorKind::kForce;
  spec.actuators[0].chain = {};
  spec.actuators[0].chain.delay_s = 1e-3;
  spec.sensors.resize(1);
  spec.sensors[0].signal = "a.to_rod";
  const auto late = made(model, spec);
  spec.actuators[0].chain.delay_s = 0.0;
  const auto direct = made(model, spec);

  EXPECT_THAT(names_of(late->device_state_entries(late->initial_state())), ElementsAre("delay.motor.1", "force.motor"));
  EXPECT_EQ(late->direct_forces(), std::vector<int>{-1});
  EXPECT_TRUE(direct->device_state_entries(direct->initial_state()).empty());
  EXPECT_GE(direct->direct_forces()[0], 0);
}

}  // namespace
}  // namespace kinloop
