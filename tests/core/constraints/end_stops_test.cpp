// Tests end stops without a stiffness of their own: they hold what stands behind their joint, through loops too.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "core/constraints/end_stops.hpp"
#include "core/dynamics/energy.hpp"
#include "core/kinematics/forward_kinematics.hpp"
#include "tests/support/linkages.hpp"
#include "tests/support/simulation.hpp"

namespace kinloop {
namespace {

constexpr double kArm_m = 2.0;
constexpr double kPlatform_kg = 1500.0;

BodySpec lift_body(const std::string& name, double mass_kg, const Vector3& com, double inertia) {
  BodySpec body;
  body.name = name;
  body.mass = mass_kg;
  body.com = com;
  body.inertia = inertia * Matrix3::Identity();
  return body;
}

JointSpec lift_joint(const std::string& name, JointType type, const std::string& pred, const Vector3& at,
                     const std::string& succ, double q, const Vector3& from = Vector3::Zero()) {
  JointSpec joint;
  joint.name = name;
  joint.type = type;
  joint.predecessor = pred;
  joint.successor = succ;
  joint.frame_pred.p = at;
  joint.frame_succ.p = from;
  joint.initial_q = {q};
  return joint;
}

/// In the x-y plane, gravity along -y: arms of kArm_m crossed at their middles stand at `angle_rad`. The first is
/// pinned to the ground, the second's foot slides along x, pushed by a cylinder of 20 kg; the platform is pinned to the
/// second's head and rests on the first's head with a slide.
ModelSpec scissor_lift(double angle_rad, double lower_m) {
  ModelSpec spec;
  spec.name = "scissor_lift";
  spec.gravity = Vector3(0.0, -9.81, 0.0);
  const Vector3 middle(0.5 * kArm_m, 0.0, 0.0);
  const Vector3 head(kArm_m, 0.0, 0.0);
  spec.bodies = {lift_body("arm", 60.0, middle, 20.0), lift_body("foot", 20.0, Vector3::Zero(), 0.1),
                 lift_body("cross_arm", 60.0, middle, 20.0),
                 lift_body("platform", kPlatform_kg, Vector3(0.5, 0.1, 0.0), 500.0)};
  spec.joints.push_back(lift_joint("pin", JointType::kRevolute, kGround, Vector3::Zero(), "arm", angle_rad));
  JointSpec rod =
      lift_joint("rod", JointType::kPrismatic, kGround, Vector3::Zero(), "foot", kArm_m * std::cos(angle_rad));
  rod.frame_pred.R << 0, 0, 1, 0, 1, 0, -1, 0, 0;  // its z along the world's x
  rod.frame_succ.R = rod.frame_pred.R;
  rod.coordinates.resize(1);
  rod.coordinates[0].limit = LimitSpec{lower_m, 1.98, {}, {}};
  spec.joints.push_back(rod);
  spec.joints.push_back(
      lift_joint("ankle", JointType::kRevolute, "foot", Vector3::Zero(), "cross_arm", std::numbers::pi - angle_rad));
  spec.joints.push_back(
      lift_joint("neck", JointType::kRevolute, "cross_arm", head, "platform", angle_rad - std::numbers::pi));
  spec.loops.push_back(lift_joint("scissor", JointType::kRevolute, "arm", middle, "cross_arm", 0.0, middle));
  spec.loops.back().initial_q.clear();
  JointSpec slide = lift_joint("slide", JointType::kPinSlot, "platform", Vector3::Zero(), "arm", 0.0, head);
  slide.initial_q.clear();
  spec.loops.push_back(slide);
  return spec;
}

TEST(EndStops, OfAScissorLiftCarryWhatTheCylinderLifts) {
  constexpr double kHigh_rad = 0.9;
  const Model model = mechanisms::compiled(scissor_lift(kHigh_rad, 0.5));
  const CoordinateConstants& rod = model.coordinate(1);

  // x = L cos a, platform at L sin a: dy/dx = -1 / tan a.
  const double ratio = 1.0 / std::tan(kHigh_rad);
  const double lifted_kg = kPlatform_kg * ratio * ratio;

  EXPECT_GT(rod.limit_stiffness, lifted_kg * std::pow(2.0 * std::numbers::pi * 20.0, 2));
}

// Lowered onto its stop, at 0.3 rad, it stays there: with the stiffness of the rod alone it sank through and turned
// inside out.
TEST(EndStops, HoldAScissorLiftThatSinksOntoThem) {
  constexpr double kHigh_rad = 0.5;
  ModelSpec spec = scissor_lift(kHigh_rad, 0.5);
  const double upper_m = kArm_m * std::cos(0.3);
  spec.joints[1].coordinates[0].limit->upper = upper_m;
  const Model model = mechanisms::compiled(spec);
  for (const char* method : {"rk4", "linearly_implicit"}) {
    Simulation simulation(model, method, "auto");
    double deepest_m = 0.0;
    for (int i = 0; i < 3000; ++i) {
      ASSERT_EQ(simulation.step(1e-3), StepStatus::kOk) << method;
      deepest_m = std::max(deepest_m, simulation.state.q()[1] - upper_m);
    }

    EXPECT_GT(deepest_m, 0.0) << method;
    EXPECT_LT(deepest_m, 0.025) << method;
    EXPECT_LT(std::abs(simulation.state.v()[1]), 0.01) << method;
    EXPECT_GT(simulation.state.q()[0], 0.2) << method;  // it stands upright
  }
}

// Near the dead centre the cylinder lifts much more than at the start: stops sized there let the lift turn inside out.
TEST(EndStops, HoldAScissorLiftThatFallsOntoThemFromHighUp) {
  struct Fall {
    double start_rad, stop_rad, rod_damping;
    int steps;
  };
  for (const Fall& fall : {Fall{1.0, 0.15, 0.0, 4000}, Fall{1.3, 0.1, 1e5, 15000}}) {
    SCOPED_TRACE(fall.start_rad);
    ModelSpec spec = scissor_lift(fall.start_rad, 0.3);
    const double upper_m = kArm_m * std::cos(fall.stop_rad);
    spec.joints[1].coordinates[0].limit->upper = upper_m;
    spec.joints[1].coordinates[0].damping = fall.rod_damping;
    const Model model = mechanisms::compiled(spec);
    EXPECT_TRUE(model.warnings().empty());
    for (const char* method : {"rk4", "semi_implicit_euler", "linearly_implicit"}) {
      Simulation simulation(model, method, "auto");
      double deepest_m = 0.0;
      for (int i = 0; i < fall.steps; ++i) {
        ASSERT_EQ(simulation.step(1e-3), StepStatus::kOk) << method;
        deepest_m = std::max(deepest_m, simulation.state.q()[1] - upper_m);
      }

      EXPECT_GT(deepest_m, 0.0) << method;
      EXPECT_LT(deepest_m, 0.5 * (kArm_m - upper_m)) << method;  // half way to the dead centre
      EXPECT_GT(simulation.state.q()[0], 0.5 * fall.stop_rad) << method;
    }
  }
}

TEST(EndStops, KnowALimitThatADeadCentreKeepsOutOfReach) {
  ModelSpec spec = scissor_lift(0.9, 0.5);
  spec.joints[1].coordinates[0].limit->upper = kArm_m + 0.1;

  const Model model = mechanisms::compiled(spec);
  const std::vector<BareStop> stops = bare_stops(model);

  EXPECT_TRUE(model.warnings().empty());
  ASSERT_EQ(stops.size(), 1U);
  ASSERT_EQ(stops[0].beyond_reach.size(), 1U);
  EXPECT_EQ(stops[0].beyond_reach[0].limit, kArm_m + 0.1);
  EXPECT_NEAR(stops[0].beyond_reach[0].nearest, kArm_m, 1e-3);
  EXPECT_TRUE(stops[0].not_found.empty());
}

TEST(EndStops, WarnOnceOfLimitsToWhichNoWayIsFound) {
  ModelSpec spec = mechanisms::four_bar();
  for (JointSpec& joint : spec.joints) {
    joint.coordinates.resize(1);
    joint.coordinates[0].limit = LimitSpec{-1e6, 1e6, {}, {}};
  }

  const Model model = mechanisms::compiled(spec);

  ASSERT_EQ(model.warnings().size(), 1U);
  EXPECT_EQ(model.warnings()[0].where, "joints[0].coordinates[0].limit");
  EXPECT_NE(model.warnings()[0].what.find("at -1e+06: the loops could not be followed"), std::string::npos)
      << model.warnings()[0].what;
}

TEST(EndStops, AtADeadCentreAreNotInfinitelyStiff) {
  ModelSpec spec = mechanisms::config("slider_crank");
  const Model open = mechanisms::compiled(spec);
  for (JointSpec& joint : spec.joints) {
    joint.coordinates.resize(1);
    joint.coordinates[0].limit = LimitSpec{-100.0, 100.0, {}, {}};
  }

  const Model model = mechanisms::compiled(spec);

  for (int i = 0; i < model.nv(); ++i) {
    EXPECT_TRUE(std::isfinite(model.coordinate(i).limit_stiffness)) << i;
    EXPECT_GT(model.coordinate(i).limit_stiffness, 0.0) << i;
  }
}

}  // namespace
}  // namespace kinloop
