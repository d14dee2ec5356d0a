// Tests the rope: it never pushes, it swings like a pendulum, and a winch lifts by it.
#include "core/forces/rope.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "core/forces/force_tangent.hpp"
#include "core/kinematics/forward_kinematics.hpp"
#include "tests/support/energy_of.hpp"
#include "tests/support/mechanisms.hpp"
#include "tests/support/resting_bodies.hpp"

namespace kinloop {
namespace {

constexpr double kRopeG = 9.81;
constexpr double kMass_kg = 2.0;
constexpr double kLength_m = 1.0;
constexpr double kRopeStiffness = 50e3;

/// The free body on a rope from the origin.
ModelSpec hanging_body(double height_m) {
  ModelSpec spec = mechanisms::free_body_at(height_m);
  RopeSpec rope;
  rope.name = "hoist";
  rope.body_a = kGround;
  rope.body_b = "body";
  rope.length = kLength_m;
  rope.stiffness = kRopeStiffness;
  rope.dissipation = 0.5;
  spec.ropes = {rope};
  return spec;
}

/// The same on a drum of 0.1 m radius.
ModelSpec winched_body() {
  ModelSpec spec = hanging_body(-kLength_m - kMass_kg * kRopeG / kRopeStiffness);
  BodySpec drum;
  drum.name = "drum";
  drum.mass = 3.0;
  drum.inertia = Vector3::Constant(0.05).asDiagonal();
  spec.bodies.push_back(drum);
  JointSpec joint;
  joint.name = "winch";
  joint.type = JointType::kRevolute;
  joint.predecessor = kGround;
  joint.successor = "drum";
  spec.joints.push_back(joint);
  spec.ropes[0].winch = "winch";
  spec.ropes[0].pay_out = 0.1;
  return spec;
}

RopeState state_of(Simulation& simulation) {
  update_kinematics(simulation.model, simulation.state, simulation.ws);
  return rope_state(simulation.model.ropes()[0], simulation.state.q().data(), simulation.state.v().data(),
                    simulation.ws);
}

TEST(Rope, LetsABodyFallFreelyWhileItIsSlack) {
  const Model model = mechanisms::compiled(hanging_body(-0.2));
  Simulation simulation(model, "rk4");

  ASSERT_EQ(simulation.run(1e-3, 300), StepStatus::kOk);

  EXPECT_NEAR(simulation.state.q()[2], -0.2 - 0.5 * kRopeG * 0.3 * 0.3, 1e-12);
  EXPECT_EQ(state_of(simulation).tension_N, 0.0);
}

TEST(Rope, TensionIsNeverNegativeAndEnergyIsNeverGained) {
  ModelSpec spec = hanging_body(-0.2);
  spec.joints[0].initial_u = {1.0, 0.5, 3.0, 0.0, 0.0, 0.0};
  const Model model = mechanisms::compiled(spec);
  Simulation simulation(model, "rk4");
  constexpr double kRounding_J = 1e-2;  // the kink where it becomes taut, k v^2 dt^2 / 2
  double lowest_J = energy_of(simulation);
  double largest_N = 0.0;

  for (int i = 0; i < 30'000; ++i) {
    ASSERT_EQ(simulation.step(1e-4), StepStatus::kOk);
    const double tension_N = state_of(simulation).tension_N;
    ASSERT_GE(tension_N, 0.0);
    largest_N = std::max(largest_N, tension_N);
    const double now_J = energy_of(simulation);
    ASSERT_LT(now_J, lowest_J + kRounding_J) << "after step " << i;
    lowest_J = std::min(lowest_J, now_J);
  }

  EXPECT_GT(largest_N, kMass_kg * kRopeG);
}

TEST(Rope, ATautRopeSwingsLikeAPendulum) {
  ModelSpec spec = hanging_body(0.0);
  constexpr double kAngle_rad = 0.02;
  spec.joints[0].initial_q[0] = kLength_m * std::sin(kAngle_rad);
  spec.joints[0].initial_q[2] = -kLength_m * std::cos(kAngle_rad);
  const Model model = mechanisms::compiled(spec);
  Simulation simulation(model, "rk4");
  const double period_s = 2.0 * std::numbers::pi * std::sqrt(kLength_m / kRopeG);

  ASSERT_EQ(simulation.run(period_s / 4000, 2000), StepStatus::kOk);

  EXPECT_NEAR(simulation.state.q()[0], -kLength_m * std::sin(kAngle_rad), 1e-4);
  EXPECT_NEAR(state_of(simulation).tension_N, kMass_kg * kRopeG, 0.1);
}

TEST(Rope, PullsAtItsWinchWithTheRadiusOfTheDrum) {
  const Model model = mechanisms::compiled(winched_body());
  Simulation simulation(model, "rk4");
  simulation.loads.tau[6] = -0.1 * kMass_kg * kRopeG;

  ASSERT_EQ(simulation.run(1e-3, 2000), StepStatus::kOk);

  EXPECT_LT(simulation.state.v().cwiseAbs().maxCoeff(), 1e-6);
}

TEST(Rope, AWinchLifts) {
  ModelSpec spec = winched_body();
  CoordinateSpec turning;
  turning.motion = FunctionSpec{};
  turning.motion->polynomial = {0.0, -2.0};
  spec.joints[1].coordinates = {turning};
  const Model model = mechanisms::compiled(spec);
  Simulation simulation(model, "rk4");

  ASSERT_EQ(simulation.run(1e-3, 3000), StepStatus::kOk);

  EXPECT_NEAR(state_of(simulation).rest_length_m, kLength_m - 0.1 * 2.0 * 3.0, 1e-9);
  EXPECT_NEAR(simulation.state.q()[2], -kLength_m + 0.6, 2e-3);
}

// The exact derivative of the force along the rope, winch included: the part that a step by 1e-6 shows.
TEST(Rope, TangentKnowsTheWinch) {
  const Model model = mechanisms::compiled(winched_body());
  State state(model);
  Workspace ws(model);
  update_kinematics(model, state, ws);
  ForceTangent tangent(model);

  tangent.update(model, state.q().data(), state.v().data(), ws);

  EXPECT_NEAR(tangent.K()(6, 6), 0.1 * 0.1 * kRopeStiffness, 1e-6);
  EXPECT_NEAR(tangent.K()(2, 6), 0.1 * kRopeStiffness, 1e-6);  // up, and out: both slacken it
  EXPECT_NEAR(tangent.K()(2, 2), kRopeStiffness, 1e-6);
}

TEST(Rope, LinearlyImplicitStepsFollowALoadThatJerks) {
  const Model model = mechanisms::compiled(hanging_body(-0.5));
  Simulation simulation(model, "linearly_implicit");

  ASSERT_EQ(simulation.run(1e-3, 10'000), StepStatus::kOk);

  EXPECT_NEAR(simulation.state.q()[2], -kLength_m - kMass_kg * kRopeG / kRopeStiffness, 1e-5);
}

}  // namespace
}  // namespace kinloop
