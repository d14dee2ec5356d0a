// Tests contacts with firm planes by the laws of statics and energy.
#include "core/forces/contact.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/dynamics/inverse_dynamics.hpp"
#include "core/kinematics/forward_kinematics.hpp"
#include "tests/support/allocation_count.hpp"
#include "tests/support/energy_of.hpp"
#include "tests/support/mechanisms.hpp"
#include "tests/support/resting_bodies.hpp"

namespace kinloop {
namespace {

constexpr double kDt_s = 1e-3;
constexpr double kContactG = 9.81;
constexpr double kWeight_N = 2.0 * kContactG;
constexpr double kContactStiffness = 20e3;
constexpr double kRadius_m = 0.1;

TEST(Contact, ADroppedBallComesToRestAtTheDepthThatCarriesIt) {
  ModelSpec spec = mechanisms::ball_over_plane(0.3);
  spec.planes[0].dissipation = 2.0;
  const Model model = mechanisms::compiled(spec);
  for (const char* method : {"rk4", "semi_implicit_euler", "linearly_implicit"}) {
    Simulation simulation(model, method);

    ASSERT_EQ(simulation.run(kDt_s, 10'000), StepStatus::kOk);

    EXPECT_NEAR(simulation.state.q()[2], kRadius_m - kWeight_N / kContactStiffness, 1e-6) << method;
    EXPECT_LT(simulation.state.v().cwiseAbs().maxCoeff(), 1e-4) << method;
  }
}

TEST(Contact, ABouncingBallNeverGainsEnergy) {
  ModelSpec spec = mechanisms::ball_over_plane(0.5);
  spec.planes[0].dissipation = 0.1;
  spec.planes[0].friction = 0.4;
  spec.joints[0].initial_u = {1.0, -0.5, 0.0, 3.0, 8.0, -2.0};  // slides and spins
  const Model model = mechanisms::compiled(spec);
  Simulation simulation(model, "rk4");
  // The kink at first touch costs rk4 one order: energy k v^2 dt^2 / 2 may be off by a step's share of itself.
  constexpr double kRounding_J = 2e-3;
  double lowest_J = energy_of(simulation);
  const double first_J = lowest_J;

  for (int i = 0; i < 30'000; ++i) {
    ASSERT_EQ(simulation.step(1e-4), StepStatus::kOk);
    const double now_J = energy_of(simulation);
    ASSERT_LT(now_J, lowest_J + kRounding_J) << "after step " << i;
    lowest_J = std::min(lowest_J, now_J);
  }

  EXPECT_LT(lowest_J, 0.8 * first_J);
}

TEST(Contact, WithoutDissipationABallComesBackToWhereItFell) {
  const Model model = mechanisms::compiled(mechanisms::ball_over_plane(0.5));
  Simulation simulation(model, "rk4");
  double highest_m = 0.0;

  for (int i = 0; i < 7000; ++i) {  // past the first bounce, whose top is after 2 sqrt(2 h / g) = 0.57 s
    ASSERT_EQ(simulation.step(1e-4), StepStatus::kOk);
    if (i > 4000) highest_m = std::max(highest_m, simulation.state.q()[2]);
  }

  EXPECT_NEAR(highest_m, 0.5, 1e-4);
}

double slid_m(double slope_rad, double friction, double time_s) {
  const Model model = mechanisms::compiled(mechanisms::box_on_incline(slope_rad, friction));
  Simulation simulation(model, "rk4");
  const Vector3 start = simulation.state.q().head<3>();
  EXPECT_EQ(simulation.run(kDt_s, static_cast<int>(time_s / kDt_s)), StepStatus::kOk);
  return (simulation.state.q().head<3>() - start).norm();
}

TEST(Contact, ABoxSlidesDownASlopeAboveTheAngleOfFriction) {
  constexpr double kSlope_rad = 0.5;
  constexpr double kFriction = 0.3;
  const double acceleration = kContactG * (std::sin(kSlope_rad) - kFriction * std::cos(kSlope_rad));

  const double slid = slid_m(kSlope_rad, kFriction, 1.0);

  // Friction takes 10 mm/s to grow to its full size: sooner or later by that speed over the acceleration.
  EXPECT_NEAR(slid, 0.5 * acceleration, 0.01);
}

TEST(Contact, ABoxBelowTheAngleOfFrictionCreepsNoFasterThanItMay) {
  constexpr double kSlope_rad = 0.3;
  constexpr double kFriction = 0.6;
  constexpr double kFrictionSpeed_m_s = 0.01;
  const double creep_m_s = kFrictionSpeed_m_s * std::atanh(std::tan(kSlope_rad) / kFriction);

  const double slid = slid_m(kSlope_rad, kFriction, 4.0);

  EXPECT_LT(slid, 1.02 * creep_m_s * 4.0);
  EXPECT_GT(slid, 0.9 * creep_m_s * 4.0);
}

TEST(Contact, PlaneAndBodyFeelOppositeForces) {
  ModelSpec spec = mechanisms::ball_over_plane(0.09);
  spec.gravity.setZero();
  spec.planes[0].friction = 0.5;
  BodySpec plate = spec.bodies[0];
  plate.name = "plate";
  spec.bodies.push_back(plate);
  JointSpec joint = spec.joints[0];
  joint.name = "plate";
  joint.successor = "plate";
  joint.initial_q = {0.05, -0.1, 0.0, 1.0, 0.0, 0.0, 0.0};
  spec.joints.push_back(joint);
  spec.joints[0].initial_u = {1.0, 0.3, -0.2, 1.0, 2.0, 3.0};
  spec.planes[0].body = "plate";
  const Model model = mechanisms::compiled(spec);
  Simulation simulation(model, "rk4");
  update_kinematics(model, simulation.state, simulation.ws);
  const Momentum before = momentum(model, simulation.ws);

  ASSERT_EQ(simulation.run(1e-4, 200), StepStatus::kOk);

  update_kinematics(model, simulation.state, simulation.ws);
  const Momentum after = momentum(model, simulation.ws);
  EXPECT_LT(simulation.state.v()[8], -0.1) << "the plate was never pushed";
  EXPECT_LT((after.linear - before.linear).norm(), 1e-10);
  EXPECT_LT((after.angular - before.angular).norm(), 1e-6);
}

TEST(Contact, TellsWhereItTouchesAndHowHard) {
  const Model model = mechanisms::compiled(mechanisms::ball_over_plane(kRadius_m - 1e-3));
  State state(model);
  Workspace ws(model);
  update_kinematics(model, state, ws);

  const Touch touch = touch_of(model, model.contact_points()[0], ws);

  EXPECT_NEAR(touch.depth_m, 1e-3, 1e-12);
  EXPECT_NEAR((touch.point - Vector3(0.0, 0.0, -1e-3)).norm(), 0.0, 1e-12);
  EXPECT_NEAR((touch.force - Vector3(0.0, 0.0, kContactStiffness * 1e-3)).norm(), 0.0, 1e-9);
  EXPECT_EQ(touch.force, contact_force(model, 0, ws));
}

TEST(Contact, ABoxHasEightCornersAndAPlateFour) {
  ModelSpec spec = mechanisms::box_on_incline(0.0, 0.0);
  EXPECT_EQ(mechanisms::compiled(spec).contact_points().size(), 8U);

  spec.contacts[0].size.z() = 0.0;

  EXPECT_EQ(mechanisms::compiled(spec).contact_points().size(), 4U);
}

TEST(Contact, TouchesOnlyThePlanesItNames) {
  ModelSpec spec = mechanisms::ball_over_plane(1.0);
  spec.planes.push_back(spec.planes[0]);
  spec.planes[1].name = "wall";
  EXPECT_EQ(mechanisms::compiled(spec).contact_points().size(), 2U);

  spec.contacts[0].planes = {"wall"};

  const Model model = mechanisms::compiled(spec);
  ASSERT_EQ(model.contact_points().size(), 1U);
  EXPECT_EQ(model.contact_points()[0].plane, 1);
}

TEST(Contact, WarmStepsDoNotAllocate) {
  const Model model = mechanisms::compiled(mechanisms::box_on_incline(0.3, 0.6));
  for (const char* method : {"rk4", "semi_implicit_euler", "linearly_implicit"}) {
    Simulation simulation(model, method);
    ASSERT_EQ(simulation.run(kDt_s, 3), StepStatus::kOk);

    const AllocationCount allocations;
    const StepStatus status = simulation.run(kDt_s, 100);

    EXPECT_EQ(status, StepStatus::kOk);
    EXPECT_EQ(allocations.value(), 0) << method;
  }
}

TEST(Contact, GivesTheSameBitsTwice) {
  const Model model = mechanisms::compiled(mechanisms::box_on_incline(0.5, 0.3));
  Simulation first(model, "rk4");
  Simulation second(model, "rk4");

  ASSERT_EQ(first.run(kDt_s, 2000), StepStatus::kOk);
  ASSERT_EQ(second.run(kDt_s, 2000), StepStatus::kOk);

  EXPECT_EQ(first.state.block(), second.state.block());
}

TEST(Contact, FormulationsAgree) {
  ModelSpec spec = mechanisms::chain(4);
  PlaneSpec plane;
  plane.name = "floor";
  plane.frame.p = Vector3(0.0, 0.0, 0.2);
  plane.stiffness = 1e3;
  plane.dissipation = 0.5;
  plane.friction = 0.7;
  spec.planes = {plane};
  for (std::size_t i = 0; i < spec.bodies.size(); ++i) {
    ContactSpec contact;
    contact.name = "foot" + std::to_string(i);
    contact.body = spec.bodies[i].name;
    contact.shape = ContactShape::kBox;
    contact.size = Vector3(0.2, 0.1, 0.3);
    spec.contacts.push_back(contact);
  }
  const Model model = mechanisms::compiled(spec);
  State state(model);
  Random random(5);
  mechanisms::randomize(model, random, state);
  Workspace ws(model);
  const auto reference = std::move(make_dynamics("rfda", model)).value();
  ASSERT_EQ(accelerations(model, state, Loads(model), *reference, ws), StepStatus::kOk);
  const VectorX expected = ws.vdot;
  ASSERT_GT(contact_force(model, 0, ws).norm(), 1.0) << "nothing touches";

  for (const char* name : {"semi_recursive_1", "semi_recursive_2", "rfda_constraint", "partition", "rcr"}) {
    const auto dynamics = std::move(make_dynamics(name, model)).value();
    ASSERT_EQ(accelerations(model, state, Loads(model), *dynamics, ws), StepStatus::kOk);
    EXPECT_LT((ws.vdot - expected).norm(), 1e-9 * expected.norm()) << name;
  }
}

}  // namespace
}  // namespace kinloop
