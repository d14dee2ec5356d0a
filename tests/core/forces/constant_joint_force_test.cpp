// Tests the constant force along a joint coordinate: what a motor with a held current does.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/energy_of.hpp"
#include "tests/support/mechanisms.hpp"
#include "tests/support/simulation.hpp"

namespace kinloop {
namespace {

constexpr double kTorque_Nm = 1.7;
constexpr double kRounding = 1e-12;

ModelSpec with_force(ModelSpec spec, std::size_t coordinate_count, double force) {
  spec.joints[0].coordinates.assign(coordinate_count, {});
  for (CoordinateSpec& coordinate : spec.joints[0].coordinates) coordinate.force = force;
  return spec;
}

TEST(ConstantJointForce, ActsAsTheSameLoadFromOutside) {
  const Model forced = mechanisms::compiled(with_force(mechanisms::double_pendulum(), 1, kTorque_Nm));
  const Model plain = mechanisms::compiled(mechanisms::double_pendulum());
  Simulation by_model(forced, "rk4");
  Simulation by_load(plain, "rk4");
  by_load.loads.tau[0] = kTorque_Nm;

  ASSERT_EQ(by_model.run(1e-3, 100), StepStatus::kOk);
  ASSERT_EQ(by_load.run(1e-3, 100), StepStatus::kOk);

  EXPECT_LT((by_model.state.q() - by_load.state.q()).norm(), kRounding);
  EXPECT_LT((by_model.state.v() - by_load.state.v()).norm(), kRounding);
}

// The work of a constant force depends on where the coordinate stands alone, so it counts as potential energy.
TEST(ConstantJointForce, KeepsTheEnergy) {
  const Model model = mechanisms::compiled(with_force(mechanisms::pendulum(), 1, kTorque_Nm));
  Simulation simulation(model, "rk4");
  const double before_J = energy_of(simulation);

  ASSERT_EQ(simulation.run(1e-3, 1000), StepStatus::kOk);

  EXPECT_GT(std::abs(simulation.state.q()[0] - model.initial_q()[0]), 0.1) << "it moves";
  EXPECT_NEAR(energy_of(simulation), before_J, 1e-9);
}

// On the speeds of a quaternion it is a torque in the axes of the body.
TEST(ConstantJointForce, TurnsABallJointAsALoadWould) {
  const Model forced = mechanisms::compiled(with_force(mechanisms::spherical_top(), 3, kTorque_Nm));
  const Model plain = mechanisms::compiled(mechanisms::spherical_top());
  Simulation by_model(forced, "rk4");
  Simulation by_load(plain, "rk4");
  by_load.loads.tau.setConstant(kTorque_Nm);

  ASSERT_EQ(by_model.run(1e-3, 100), StepStatus::kOk);
  ASSERT_EQ(by_load.run(1e-3, 100), StepStatus::kOk);

  EXPECT_LT((by_model.state.v() - by_load.state.v()).norm(), kRounding * by_load.state.v().norm());
}

}  // namespace
}  // namespace kinloop
