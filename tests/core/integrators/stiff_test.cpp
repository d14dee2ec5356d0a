// Tests the linearly implicit method where explicit ones fail: stiff springs, bushings, dampers and end stops.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "core/dynamics/energy.hpp"
#include "core/kinematics/configuration.hpp"
#include "core/kinematics/forward_kinematics.hpp"
#include "tests/support/mechanisms.hpp"
#include "tests/support/simulation.hpp"

namespace kinloop {
namespace {

constexpr double kStiffDt_s = 1e-3;

/// A pendulum made of a free point mass on a spring that is nearly a rod: 1e8 N/m, so some 1600 Hz for 1 kg.
ModelSpec spring_pendulum() {
  ModelSpec spec;
  spec.name = "spring_pendulum";
  BodySpec bob;
  bob.name = "bob";
  bob.mass = 1.0;
  bob.inertia = Vector3(0.01, 0.01, 0.01).asDiagonal();
  spec.bodies = {bob};
  JointSpec joint;
  joint.name = "free";
  joint.type = JointType::kFree;
  joint.predecessor = kGround;
  joint.successor = "bob";
  joint.initial_q = {std::sin(1.0), 0.0, -std::cos(1.0), 1.0, 0.0, 0.0, 0.0};
  spec.joints = {joint};
  SpringSpec spring;
  spring.name = "rod";
  spring.body_a = kGround;
  spring.body_b = "bob";
  spring.stiffness = 1e8;
  spring.rest_length = 1.0;
  spec.springs = {spring};
  return spec;
}

/// The same with a rod: what the stiff one must come near to.
double rod_angle(double time_s) {
  ModelSpec spec = mechanisms::pendulum();
  spec.bodies[0].com = Vector3(0.0, 0.0, -1.0);
  spec.bodies[0].inertia = Matrix3::Zero();
  const Model model = mechanisms::compiled(spec);
  Simulation simulation(model, "rk4");
  const int steps = static_cast<int>(std::lround(time_s / 1e-4));
  EXPECT_EQ(simulation.run(1e-4, steps), StepStatus::kOk);
  return simulation.state.q()[0];
}

TEST(StiffSpring, MakesExplicitMethodsBlowUp) {
  const Model model = mechanisms::compiled(spring_pendulum());
  for (const char* method : {"semi_implicit_euler", "heun", "rk4", "ab2", "ab4"}) {
    Simulation simulation(model, method);

    const StepStatus status = simulation.run(kStiffDt_s, 1000);

    const bool blew_up = status != StepStatus::kOk || simulation.state.v().norm() > 100.0;
    EXPECT_TRUE(blew_up) << method;
  }
}

TEST(StiffSpring, LinearlyImplicitFollowsTheSlowMotion) {
  const Model model = mechanisms::compiled(spring_pendulum());
  Simulation simulation(model, "linearly_implicit");

  ASSERT_EQ(simulation.run(kStiffDt_s, 2000), StepStatus::kOk);

  const auto q = simulation.state.q();
  const double angle = std::atan2(std::abs(q[0]), -q[2]) * (q[0] < 0.0 ? -1.0 : 1.0);
  RecordProperty("error", std::to_string(std::abs(std::abs(angle) - std::abs(rod_angle(2.0)))));
  EXPECT_NEAR(std::abs(angle), std::abs(rod_angle(2.0)), 5e-5);
  EXPECT_NEAR(q.head<3>().norm(), 1.0, 1e-6);
}

double stiff_error(const Model& model, int steps) {
  Simulation simulation(model, "linearly_implicit");
  EXPECT_EQ(simulation.run(1.0 / steps, steps), StepStatus::kOk);
  const auto q = simulation.state.q();
  return std::abs(std::abs(std::atan2(q[0], -q[2])) - std::abs(rod_angle(1.0)));
}

// The spring is never resolved here (1600 Hz): order 2 is that of the slow motion.
TEST(StiffSpring, SlowMotionConvergesWithOrderTwo) {
  const Model model = mechanisms::compiled(spring_pendulum());

  const double coarse = stiff_error(model, 500);
  const double fine = stiff_error(model, 1000);

  EXPECT_NEAR(std::log2(coarse / fine), 2.0, 0.2) << coarse << " " << fine;
}

/// Two bars welded to each other and to the ground's hinge by stiff bushings.
ModelSpec bushed_chain() {
  ModelSpec spec = mechanisms::chain(2);
  spec.joints[1].type = JointType::kFree;
  spec.joints[1].initial_q = {};
  spec.joints[1].initial_u = {};
  BushingSpec bushing;
  bushing.name = "weld";
  bushing.body_a = "bar0";
  bushing.body_b = "bar1";
  bushing.frame_a = spec.joints[1].frame_pred;
  bushing.frame_b = spec.joints[1].frame_succ;
  bushing.stiffness = Vector3(1e8, 2e8, 3e8);
  bushing.damping = Vector3(1e3, 1e3, 1e3);
  bushing.rotational_stiffness = Vector3(1e7, 1e7, 2e7);
  bushing.rotational_damping = Vector3(10.0, 20.0, 30.0);
  spec.bushings = {bushing};
  return spec;
}

TEST(StiffBushing, ActsLikeAWeld) {
  ModelSpec welded = mechanisms::chain(2);
  welded.joints[1].type = JointType::kFixed;
  welded.joints[1].initial_q = {};
  welded.joints[1].initial_u = {};
  const Model rigid_model = mechanisms::compiled(welded);
  const Model model = mechanisms::compiled(bushed_chain());
  Simulation rigid(rigid_model, "rk4");
  Simulation simulation(model, "linearly_implicit");

  ASSERT_EQ(rigid.run(kStiffDt_s, 1000), StepStatus::kOk);
  ASSERT_EQ(simulation.run(kStiffDt_s, 1000), StepStatus::kOk);

  EXPECT_NEAR(simulation.state.q()[0], rigid.state.q()[0], 1e-4);
  EXPECT_NEAR(simulation.state.v()[0], rigid.state.v()[0], 1e-3);
}

ModelSpec falling_on_a_stop(double damping) {
  ModelSpec spec = mechanisms::pendulum();
  spec.joints[0].initial_q = {0.8};
  spec.joints[0].coordinates.resize(1);
  spec.joints[0].coordinates[0].limit = LimitSpec{0.2, 2.0, 1e8, damping};
  return spec;
}

TEST(StiffStop, CatchesAJointWithoutThrowingItBack) {
  for (const double damping : {0.0, 1e3, 1e6}) {
    const Model model = mechanisms::compiled(falling_on_a_stop(damping));
    Simulation simulation(model, "linearly_implicit");
    double lowest = 1.0;
    double fastest = 0.0;

    for (int i = 0; i < 2000; ++i) {
      ASSERT_EQ(simulation.step(kStiffDt_s), StepStatus::kOk);
      lowest = std::min(lowest, simulation.state.q()[0]);
      fastest = std::max(fastest, std::abs(simulation.state.v()[0]));
    }

    EXPECT_GT(lowest, 0.2 - 1e-3) << damping;
    EXPECT_LT(fastest, std::sqrt(3.0 * 9.81 * (std::cos(0.2) - std::cos(0.8))) + 0.05) << damping;
    EXPECT_NEAR(simulation.state.q()[0], 0.2, 1e-3) << damping;
    EXPECT_NEAR(simulation.state.v()[0], 0.0, 1e-3) << damping;
  }
}

TEST(StiffStop, LetsAJointGo) {
  ModelSpec spec = falling_on_a_stop(1e4);
  spec.joints[0].initial_q = {0.2};
  const Model model = mechanisms::compiled(spec);
  Simulation simulation(model, "linearly_implicit");
  ASSERT_EQ(simulation.run(kStiffDt_s, 500), StepStatus::kOk);

  simulation.loads.tau[0] = 2.0 * 9.81 * 0.5 * std::sin(0.2);  // as much again as gravity's moment there
  const double acceleration = 9.81 * 0.5 * std::sin(0.2) / (1.0 / 3.0);
  ASSERT_EQ(simulation.run(kStiffDt_s, 100), StepStatus::kOk);

  EXPECT_NEAR(simulation.state.q()[0] - 0.2, 0.5 * acceleration * 0.01, 0.1 * 0.5 * acceleration * 0.01);
}

TEST(StiffFriction, HoldsAJointAndDoesNotChatter) {
  ModelSpec spec = mechanisms::pendulum();
  spec.joints[0].coordinates.resize(1);
  spec.joints[0].coordinates[0].dry_friction = 50.0;
  spec.joints[0].coordinates[0].friction_speed = 1e-6;
  spec.joints[0].initial_u = {3.0};
  const Model model = mechanisms::compiled(spec);
  Simulation simulation(model, "linearly_implicit");

  ASSERT_EQ(simulation.run(kStiffDt_s, 500), StepStatus::kOk);

  // At rest the friction carries gravity's moment: a creep of friction_speed at most.
  EXPECT_LT(std::abs(simulation.state.v()[0]), 1e-6);
}

TEST(StiffDamper, WithAnExtremeDampingCreeps) {
  ModelSpec spec = mechanisms::double_pendulum();
  for (JointSpec& joint : spec.joints) {
    joint.coordinates.resize(1);
    joint.coordinates[0].damping = 1e6;
  }
  const Model model = mechanisms::compiled(spec);
  Simulation simulation(model, "linearly_implicit");

  ASSERT_EQ(simulation.run(kStiffDt_s, 1000), StepStatus::kOk);

  EXPECT_LT(simulation.state.v().cwiseAbs().maxCoeff(), 1e-4);
  EXPECT_NEAR(simulation.state.q()[0], 1.0, 1e-3);
}

}  // namespace
}  // namespace kinloop
