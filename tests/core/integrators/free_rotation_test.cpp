// Tests that spinning bodies stay stable with semi-implicit Euler: energy and angular momentum over many steps.
#include <gtest/gtest.h>

#include <cmath>

#include "core/dynamics/energy.hpp"
#include "core/integrators/integrator.hpp"
#include "core/kinematics/forward_kinematics.hpp"
#include "tests/support/mechanisms.hpp"

namespace kinloop {
namespace {

constexpr double kDt_s = 1e-3;

/// Intermediate axis, 50 rad/s; the centre of mass off the joint.
ModelSpec spinning_body(const Vector3& com) {
  ModelSpec spec = mechanisms::free_body();
  BodySpec& body = spec.bodies[0];
  body.mass = 1.0;
  body.com = com;
  body.inertia = Vector3(0.01, 0.02, 0.028).asDiagonal();
  spec.joints[0].initial_q = {0, 0, 0, 1, 0, 0, 0};
  spec.joints[0].initial_u = {1, 2, 3, 0.3, 50, 0.2};
  return spec;
}

double energy_J(const Model& model, const State& state) {
  Workspace ws(model);
  update_kinematics(model, state, ws);
  const Energy e = energy(model, state.q().data(), state.v().data(), ws);
  return e.kinetic_J + e.potential_J;
}

/// Of all bodies, about the origin of the world.
Vector3 angular_momentum(const Model& model, const State& state) {
  Workspace ws(model);
  update_kinematics(model, state, ws);
  add_forces(model, state.q().data(), state.v().data(), Loads(model), ws);
  Vector3 sum = Vector3::Zero();
  for (int k = 1; k < model.body_count(); ++k) {
    const auto i = static_cast<std::size_t>(k);
    const Vec3& w = ws.motion[i].w;
    const Vec3& v = ws.motion[i].v;
    const Vec3 momentum = model.body(k).mass * v + cross(w, ws.load[i].mc);
    const Vec3 about_x = ws.load[i].J * w + cross(ws.load[i].mc, v);
    sum += (about_x + cross(ws.motion[i].x, momentum)).eigen();
  }
  return sum;
}

/// The largest deviation of the energy from its value at the start, as a share of it.
double energy_drift(const ModelSpec& spec, int steps, double dt_s = kDt_s) {
  const Model model = mechanisms::compiled(spec);
  State state(model);
  Workspace ws(model);
  const auto dynamics = std::move(make_dynamics("auto", model)).value();
  const auto integrator = std::move(make_integrator("semi_implicit_euler", model)).value();
  const double start_J = energy_J(model, state);
  double worst = 0.0;
  for (int i = 1; i <= steps; ++i) {
    if (integrator->step(model, Loads(model), dt_s, *dynamics, state, ws) != StepStatus::kOk) return INFINITY;
    if (i % 97 == 0) worst = std::max(worst, std::abs(energy_J(model, state) - start_J));
  }
  return worst / std::abs(start_J);
}

TEST(FreeRotation, KeepsTheEnergyOfASpinningBodyForAMillionSteps) {
  EXPECT_LT(energy_drift(spinning_body(Vector3::Zero()), 1'000'000), 1e-9);
}

// Up to 20 rad a step, 28 while it tumbles, where no single drift is found.
TEST(FreeRotation, KeepsTheEnergyInStepsOfManyTurns) {
  for (const double dt_s : {0.02, 0.05, 0.2, 0.4}) {
    EXPECT_LT(energy_drift(spinning_body(Vector3::Zero()), 5000, dt_s), 1e-9) << dt_s;
  }
}

TEST(FreeRotation, KeepsTheEnergyOfOneThatSpinsAboutAnotherPointThanItsOrigin) {
  EXPECT_LT(energy_drift(spinning_body(Vector3(0.3, -0.2, 0.5)), 100'000), 1e-9);
}

TEST(FreeRotation, KeepsTheAngularMomentumInSpace) {
  const Model model = mechanisms::compiled(spinning_body(Vector3(0.1, 0.2, -0.1)));
  State state(model);
  Workspace ws(model);
  const auto dynamics = std::move(make_dynamics("auto", model)).value();
  const auto integrator = std::move(make_integrator("semi_implicit_euler", model)).value();
  const Vector3 start = angular_momentum(model, state);

  for (int i = 0; i < 20'000; ++i) {
    ASSERT_EQ(integrator->step(model, Loads(model), kDt_s, *dynamics, state, ws), StepStatus::kOk);
  }

  EXPECT_LT((angular_momentum(model, state) - start).norm(), 1e-9 * start.norm());
}

TEST(FreeRotation, ATopStaysATopForAMillionSteps) {
  ModelSpec spec = mechanisms::spherical_top();
  spec.joints[0].initial_u = {0.1, 0.2, 200.0};

  EXPECT_LT(energy_drift(spec, 1'000'000), 1e-2);
}

TEST(FreeRotation, AFloatingTreeThatTumblesKeepsItsEnergyInBounds) {
  ModelSpec spec = mechanisms::chain(3);
  spec.gravity = Vector3::Zero();
  JointSpec& base = spec.joints[0];
  base.type = JointType::kFree;
  base.initial_q = {0, 0, 0, 1, 0, 0, 0};
  base.initial_u = {0, 0, 0, 3.0, 0.2, 0.1};

  EXPECT_LT(energy_drift(spec, 20'000), 0.05);
}

TEST(FreeRotation, LeavesTheStepItsOrder) {
  ModelSpec spec = mechanisms::spherical_top();
  spec.joints[0].initial_u = {1.0, 2.0, 3.0};
  const Model model = mechanisms::compiled(spec);
  const auto end = [&](const char* method, int steps) {
    State state(model);
    Workspace ws(model);
    const auto dynamics = std::move(make_dynamics("auto", model)).value();
    const auto integrator = std::move(make_integrator(method, model)).value();
    for (int i = 0; i < steps; ++i) {
      EXPECT_EQ(integrator->step(model, Loads(model), 0.5 / steps, *dynamics, state, ws), StepStatus::kOk);
    }
    return VectorX(state.q());
  };
  const VectorX exact = end("rk4", 4000);

  const double coarse = (end("semi_implicit_euler", 1000) - exact).norm();
  const double fine = (end("semi_implicit_euler", 2000) - exact).norm();

  EXPECT_NEAR(std::log2(coarse / fine), 1.0, 0.1);
}

}  // namespace
}  // namespace kinloop
