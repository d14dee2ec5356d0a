// Tests what is said of actuators too slow for a linearization or a controller.
#include "core/analysis/chain_warnings.hpp"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/mechanisms.hpp"

namespace kinloop {
namespace {

std::vector<Error> warnings_of(const ModelSpec& mechanism, const CommandChainSettings& chain) {
  const Model model = mechanisms::compiled(mechanism);
  PlantSpec spec;
  ActuatorSpec motor;
  motor.name = "motor";
  motor.joint = "to_rod";
  motor.chain = chain;
  spec.actuators = {motor};
  return chain_warnings(model, spec);
}

std::vector<std::string> fields_of(const std::vector<Error>& warnings) {
  std::vector<std::string> fields;
  for (const Error& warning : warnings) fields.push_back(warning.where);
  return fields;
}

/// Of a motor at a pendulum of about a metre: 3 rad/s.
std::vector<std::string> warned(const CommandChainSettings& chain) {
  return fields_of(warnings_of(mechanisms::pendulum(), chain));
}

using Fields = std::vector<std::string>;

TEST(ChainWarnings, AFastActuatorIsWell) {
  CommandChainSettings chain;
  chain.delay_s = 0.01;
  chain.lag_s = 0.02;
  chain.lower = -10.0;
  chain.upper = 10.0;
  chain.rate_per_s = 100.0;

  EXPECT_EQ(warned(chain), Fields{});
}

TEST(ChainWarnings, ADelayOfARadianIsNamed) {
  CommandChainSettings chain;
  chain.delay_s = 2.0;

  EXPECT_EQ(warned(chain), Fields{"actuators[0].delay"});
}

TEST(ChainWarnings, ALagThatLeavesNothingIsNamed) {
  CommandChainSettings chain;
  chain.lag_s = 3.0;

  EXPECT_EQ(warned(chain), Fields{"actuators[0].lag"});
}

TEST(ChainWarnings, ARateThatCannotFollowIsNamed) {
  CommandChainSettings chain;
  chain.lower = -10.0;
  chain.upper = 10.0;
  chain.rate_per_s = 1.0;

  EXPECT_EQ(warned(chain), Fields{"actuators[0].rate_limit"});
}

TEST(ChainWarnings, WithoutGravityTheSpringsCount) {
  ModelSpec spec = mechanisms::pendulum();
  spec.gravity.setZero();
  CommandChainSettings chain;
  chain.delay_s = 0.1;

  EXPECT_EQ(fields_of(warnings_of(spec, chain)), Fields{}) << "nothing pulls it anywhere";
  spec.joints[0].coordinates.resize(1);
  spec.joints[0].coordinates[0].stiffness = 1000.0;
  EXPECT_EQ(fields_of(warnings_of(spec, chain)), Fields{"actuators[0].delay"});
}

TEST(ChainWarnings, ASpringThatIsFasterThanGravityCounts) {
  ModelSpec spec = mechanisms::pendulum();
  CommandChainSettings chain;
  chain.delay_s = 0.1;

  EXPECT_EQ(fields_of(warnings_of(spec, chain)), Fields{});
  spec.joints[0].coordinates.resize(1);
  spec.joints[0].coordinates[0].stiffness = 1000.0;
  EXPECT_EQ(fields_of(warnings_of(spec, chain)), Fields{"actuators[0].delay"});
}

TEST(ChainWarnings, WhatFallsByItselfCountsWithTheRateAtWhichItDoes) {
  ModelSpec spec = mechanisms::pendulum();
  spec.gravity = -spec.gravity;
  CommandChainSettings chain;
  chain.delay_s = 0.5;

  EXPECT_EQ(fields_of(warnings_of(spec, chain)), Fields{"actuators[0].delay"});
}

// Of 1 Nm a second: to move the rod to and fro at its own 3 rad/s takes some Nm.
TEST(ChainWarnings, ARateThatCannotFollowIsNamedWithoutLimitsToo) {
  CommandChainSettings slow, fast;
  slow.rate_per_s = 1.0;
  fast.rate_per_s = 1000.0;

  EXPECT_EQ(warned(slow), Fields{"actuators[0].rate_limit"});
  EXPECT_EQ(warned(fast), Fields{});
}

// With 1000 Nm a volt, 1 V/s is as fast as 1000 Nm/s.
TEST(ChainWarnings, ARateOfAVoltageIsJudgedByTheTorqueItGives) {
  const Model model = mechanisms::compiled(mechanisms::pendulum());
  PlantSpec spec;
  ActuatorSpec motor;
  motor.name = "motor";
  motor.joint = "to_rod";
  motor.kind = ActuatorKind::kDcMotor;
  motor.motor.inductance_H = 0.1;
  motor.chain.rate_per_s = 1.0;
  spec.actuators = {motor};

  EXPECT_EQ(fields_of(chain_warnings(model, spec)), Fields{"actuators[0].rate_limit"});
  spec.actuators[0].motor.gear_ratio = 1000.0;
  EXPECT_EQ(fields_of(chain_warnings(model, spec)), Fields{});
}

}  // namespace
}  // namespace kinloop
