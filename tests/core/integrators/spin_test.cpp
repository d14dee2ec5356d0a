// Tests bodies that spin in loops, on moving bodies and in gimbals: what `auto` takes keeps their energy, and what is
// named and does not is warned of.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include "core/integrators/step_limits.hpp"
#include "tests/support/energy_of.hpp"
#include "tests/support/mechanisms.hpp"
#include "tests/support/simulation.hpp"

namespace kinloop {
namespace {

constexpr double kSpinDt_s = 1e-3;

/// About its middle axis, nearly: it turns over again and again (Dzhanibekov).
BodySpec tumbling_body() {
  BodySpec body;
  body.name = "body";
  body.mass = 1.0;
  body.inertia = Vector3(0.01, 0.02, 0.028).asDiagonal();
  return body;
}

std::vector<double> nearly_about_y(double spin_rad_s) { return {6e-3 * spin_rad_s, spin_rad_s, 4e-3 * spin_rad_s}; }

ModelSpec on_a_cart(double spin_rad_s) {
  ModelSpec spec;
  spec.gravity = Vector3::Zero();
  BodySpec cart = tumbling_body();
  cart.name = "cart";
  spec.bodies = {cart, tumbling_body()};
  spec.bodies[1].com = Vector3(0.02, 0.01, 0.0);
  JointSpec slide;
  slide.name = "slide";
  slide.type = JointType::kPrismatic;
  slide.predecessor = kGround;
  slide.successor = "cart";
  slide.coordinates.resize(1);
  slide.coordinates[0].stiffness = 50.0;
  JointSpec ball;
  ball.name = "ball";
  ball.type = JointType::kSpherical;
  ball.predecessor = "cart";
  ball.successor = "body";
  ball.initial_u = nearly_about_y(spin_rad_s);
  spec.joints = {slide, ball};
  return spec;
}

/// Held at its centre of mass by a joint that closes a loop.
ModelSpec in_a_loop(double spin_rad_s) {
  ModelSpec spec = mechanisms::free_body();
  spec.gravity = Vector3::Zero();
  const std::string name = spec.bodies[0].name;
  spec.bodies = {tumbling_body()};
  spec.bodies[0].name = name;
  spec.joints[0].initial_q = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0};
  spec.joints[0].initial_u = {0.0, 0.0, 0.0};
  for (const double u : nearly_about_y(spin_rad_s)) spec.joints[0].initial_u.push_back(u);
  JointSpec pin;
  pin.name = "pin";
  pin.type = JointType::kSpherical;
  pin.predecessor = kGround;
  pin.successor = name;
  spec.loops = {pin};
  return spec;
}

/// A rotor in two rings, all on hinges.
ModelSpec in_gimbals(double spin_rad_s) {
  ModelSpec spec;
  spec.gravity = Vector3::Zero();
  const auto add = [&](const char* on, const char* name, const Vector3& axis, double inertia, double u_rad_s) {
    BodySpec body;
    body.name = name;
    body.mass = 1.0;
    body.inertia = inertia * Vector3(0.5, 0.5, 1.0).asDiagonal();
    spec.bodies.push_back(body);
    JointSpec hinge;
    hinge.name = std::string("to_") + name;
    hinge.type = JointType::kRevolute;
    hinge.predecessor = on;
    hinge.successor = name;
    hinge.frame_pred.R = Eigen::Quaterniond::FromTwoVectors(Vector3::UnitZ(), axis).toRotationMatrix();
    hinge.frame_succ.R = hinge.frame_pred.R;
    hinge.initial_u = {u_rad_s};
    spec.joints.push_back(hinge);
  };
  add(kGround, "outer", Vector3::UnitX(), 2e-3, 0.02 * spin_rad_s);
  add("outer", "inner", Vector3::UnitY(), 2e-3, 0.0);
  add("inner", "rotor", Vector3::UnitZ(), 1e-2, spin_rad_s);
  return spec;
}

struct Spinning {
  std::string name;
  ModelSpec (*spec)(double spin_rad_s);
};

struct EnergyRange {
  double least = 1.0, most = 1.0;  // as shares of the energy at the start
};

EnergyRange energy_range(const Model& model, std::string_view method, int steps) {
  Simulation simulation(model, method, "auto");
  const double start_J = energy_of(simulation);
  EnergyRange range;
  for (int i = 0; i < steps; ++i) {
    if (!is_done(simulation.step(kSpinDt_s))) return {0.0, 1e300};
    if (i % 97 != 0) continue;
    const double share = energy_of(simulation) / start_J;
    range = {std::min(range.least, share), std::max(range.most, share)};
  }
  return range;
}

class SpinningBodies : public ::testing::TestWithParam<Spinning> {};

TEST_P(SpinningBodies, WhatAutoTakesKeepsTheEnergyForAMillionSteps) {
  const Model model = mechanisms::compiled(GetParam().spec(100.0));
  const std::string method = choose_integrator(model, fastest_at_start(model), kSpinDt_s, "semi_implicit_euler").name;

  const EnergyRange range = energy_range(model, method, 1'000'000);

  EXPECT_LT(range.most, 1.001) << method;
  EXPECT_GT(range.least, 0.99) << method;
}

// Over ten thousand steps, as for springs and dampers.
TEST_P(SpinningBodies, MethodsKeepTheEnergyInBoundsOrAreWarnedOf) {
  for (const double spin_rad_s : {1.0, 5.0, 20.0, 50.0, 100.0, 200.0, 400.0}) {
    const Model model = mechanisms::compiled(GetParam().spec(spin_rad_s));
    const FastestMotion fastest = fastest_at_start(model);
    for (const IntegratorKind& kind : integrator_kinds()) {
      if (!step_warnings(model, fastest, kSpinDt_s, kind.name).empty()) continue;
      EXPECT_LT(energy_range(model, kind.name, 10'000).most, 2.0) << kind.name << ", " << spin_rad_s << " rad/s";
    }
    EXPECT_EQ(choose_integrator(model, fastest, kSpinDt_s, "semi_implicit_euler").name, "rk4") << spin_rad_s;
  }
}

INSTANTIATE_TEST_SUITE_P(All, SpinningBodies,
                         ::testing::Values(Spinning{"cart", &on_a_cart}, Spinning{"loop", &in_a_loop},
                                           Spinning{"gimbals", &in_gimbals}),
                         [](const auto& test) { return test.param.name; });

TEST(Spin, AJointThatMayBeginToSpinIsEnough) {
  const Model model = mechanisms::compiled(in_a_loop(0.0));

  const IntegratorChoice choice = choose_integrator(model, fastest_at_start(model), kSpinDt_s, "semi_implicit_euler");

  EXPECT_EQ(choice.name, "rk4");
  EXPECT_NE(choice.reason.find("may spin"), std::string::npos) << choice.reason;
}

// Linkages in a plane have no gyroscopic term, however fast.
TEST(Spin, ChainsThatTurnAboutOneDirectionStayWithSemiImplicitEuler) {
  ModelSpec spec = mechanisms::double_pendulum();
  spec.joints[0].initial_u = {50.0};
  const Model model = mechanisms::compiled(spec);

  EXPECT_EQ(choose_integrator(model, fastest_at_start(model), kSpinDt_s, "semi_implicit_euler").name,
            "semi_implicit_euler");
}

// More than 32 rad a step: no drift is found, and the step says so.
TEST(Spin, AFreeBodyTooFastForItsStepStopsTheRun) {
  ModelSpec spec = mechanisms::free_body();
  spec.joints[0].initial_u = {0.0, 0.0, 0.0, 1.0, 4e4, 1.0};
  const Model model = mechanisms::compiled(spec);
  Simulation simulation(model, "semi_implicit_euler");

  EXPECT_EQ(simulation.step(kSpinDt_s), StepStatus::kDiverged);
  EXPECT_FALSE(step_warnings(model, fastest_at_start(model), kSpinDt_s, "semi_implicit_euler").empty());
}

}  // namespace
}  // namespace kinloop
