// Laws of mechanics that hold whatever the algorithm: power balance, momentum balance, known solutions.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>

#include "core/dynamics/energy.hpp"
#include "core/dynamics/forward_dynamics.hpp"
#include "core/dynamics/inverse_dynamics.hpp"
#include "core/joints/joint.hpp"
#include "core/kinematics/forward_kinematics.hpp"
#include "tests/support/mechanisms.hpp"

namespace kinloop {
namespace {

/// q after moving with constant v for dt, quaternions turned about the body-frame axis.
VectorX advanced(const Model& model, const VectorX& q, const VectorX& v, double dt_s) {
  VectorX result = q;
  for (int i = 0; i < model.nv(); ++i) {
    if (model.coordinate(i).q >= 0) result[model.coordinate(i).q] += dt_s * v[i];
  }
  for (const int k : model.quaternion_bodies()) {
    const JointKind& kind = joint_kind(model.body(k).joint);
    const Vector3 turn = 0.5 * dt_s * v.segment<3>(model.body(k).v + kind.nv - 3);
    const double angle = turn.norm();
    const double s = angle > 0.0 ? std::sin(angle) / angle : 1.0;
    const Eigen::Vector4d d(std::cos(angle), s * turn.x(), s * turn.y(), s * turn.z());
    const Eigen::Vector4d p = q.segment<4>(model.body(k).q + kind.quaternion);
    result.segment<4>(model.body(k).q + kind.quaternion) = Eigen::Vector4d(
        p[0] * d[0] - p[1] * d[1] - p[2] * d[2] - p[3] * d[3], p[0] * d[1] + p[1] * d[0] + p[2] * d[3] - p[3] * d[2],
        p[0] * d[2] - p[1] * d[3] + p[2] * d[0] + p[3] * d[1], p[0] * d[3] + p[1] * d[2] - p[2] * d[1] + p[3] * d[0]);
  }
  return result;
}

TEST(Laws, EnergyChangesByThePowerOfTheAppliedForces) {
  for (int i = 0; i < 60; ++i) {
    mechanisms::TreeOptions options;
    options.springs = true;
    options.bushings = i % 2 == 0;
    options.armature = i % 3 == 0;
    ModelSpec spec = mechanisms::random_tree(static_cast<std::uint64_t>(i), 1 + i % 15, options);
    const bool dampers = i % 4 >= 2;
    if (!dampers) {
      for (SpringSpec& spring : spec.springs) spring.damping = 0.0;
      for (BushingSpec& bushing : spec.bushings) {
        bushing.damping.setZero();
        bushing.rotational_damping.setZero();
      }
    }
    const Model model = mechanisms::compiled(spec);
    Random random(static_cast<std::uint64_t>(i));
    State state(model);
    mechanisms::randomize(model, random, state);
    Loads loads = mechanisms::random_loads(model, random);
    loads.wrenches.clear();
    Workspace ws(model);
    const auto dynamics = make_dynamics("rfda", model);
    ASSERT_TRUE(dynamics);
    ASSERT_EQ(accelerations(model, state, loads, **dynamics, ws), StepStatus::kOk);
    const VectorX vdot = ws.vdot;
    const double power_W = loads.tau.dot(state.v());

    // Central difference of the energy along the motion q' = v, v' = vdot.
    constexpr double kStep_s = 1e-5;
    double difference_J = 0.0;
    for (const double sign : {-1.0, 1.0}) {
      const VectorX v_mid = state.v() + 0.5 * sign * kStep_s * vdot;
      const VectorX q = advanced(model, state.q(), v_mid, sign * kStep_s);
      const VectorX v = state.v() + sign * kStep_s * vdot;
      update_kinematics(model, q.data(), v.data(), 0.0, ws);
      difference_J += sign * energy(model, q.data(), v.data(), ws).total_J();
    }
    const double rate_W = difference_J / (2.0 * kStep_s);

    const double scale_W = 1.0 + std::abs(power_W) + vdot.norm() * state.v().norm();
    if (dampers) {
      EXPECT_LT(rate_W, power_W + 1e-5 * scale_W) << "dampers add no energy, tree " << i;
    } else {
      EXPECT_NEAR(rate_W, power_W, 1e-5 * scale_W) << "tree " << i;
    }
  }
}

TEST(Laws, MomentumChangesByTheForcesFromOutside) {
  const Model model = mechanisms::compiled(mechanisms::random_tree(5, 25));
  Random random(11);
  State state(model);
  mechanisms::randomize(model, random, state);
  const Loads loads = mechanisms::random_loads(model, random);
  Workspace ws(model);
  const auto dynamics = make_dynamics("rfda", model);
  ASSERT_TRUE(dynamics);
  ASSERT_EQ(accelerations(model, state, loads, **dynamics, ws), StepStatus::kOk);
  std::vector<SpatialVector> wrench(static_cast<std::size_t>(model.body_count()));

  joint_reactions(model, ws, {}, wrench);

  // d/dt sum m v = weight + external forces + what the ground gives; ws.A and A_t hold accelerations minus gravity.
  Vector3 rate = Vector3::Zero();
  for (int k = 1; k < model.body_count(); ++k) {
    const auto i = static_cast<std::size_t>(k);
    const BodyMotion& m = ws.motion[i];
    const Vector3 mc = ws.load[i].mc.eigen();
    const Vector3 al = (ws.A[i].angular + m.al).eigen();
    const Vector3 w = m.w.eigen();
    rate +=
        model.body(k).mass * ((ws.A[i].linear + m.a).eigen() + model.gravity()) + al.cross(mc) + w.cross(w.cross(mc));
  }
  Vector3 outside = wrench[0].linear.eigen();
  for (const ExternalWrench& external : loads.wrenches) outside += external.force;
  for (int k = 1; k < model.body_count(); ++k) outside += model.body(k).mass * model.gravity();
  EXPECT_LT((rate - outside).norm(), 1e-9 * (1.0 + outside.norm()));
}

TEST(Laws, PendulumAcceleratesAsItsEquationSays) {
  const Model model = mechanisms::compiled(mechanisms::pendulum());
  State state(model);
  state.q()[0] = 0.7;
  state.v()[0] = 1.3;
  Workspace ws(model);
  const auto dynamics = make_dynamics("auto", model);
  ASSERT_TRUE(dynamics);

  ASSERT_EQ(accelerations(model, state, Loads(model), **dynamics, ws), StepStatus::kOk);

  // A homogeneous rod of length l about its end: q'' = -3 g / (2 l) sin q.
  EXPECT_NEAR(std::abs(ws.vdot[0]), 1.5 * 9.81 * std::sin(0.7), 1e-12);
}

TEST(Laws, DrivenPendulumReportsTheTorqueThatDrivesIt) {
  ModelSpec spec = mechanisms::pendulum();
  spec.joints[0].coordinates.resize(1);
  FunctionSpec motion;
  motion.polynomial = {0.4, 0.5, 1.5};  // q'' = 3 rad/s^2
  spec.joints[0].coordinates[0].motion = motion;
  spec.joints[0].coordinates[0].rotor_inertia = 0.01;
  spec.joints[0].coordinates[0].gear_ratio = 10.0;
  const Model model = mechanisms::compiled(spec);
  const State state(model);
  const Loads loads(model);
  for (const DynamicsKind& kind : dynamics_kinds()) {
    Workspace ws(model);
    ASSERT_EQ(accelerations(model, state, loads, *kind.make(model), ws), StepStatus::kOk);
    std::vector<SpatialVector> wrench(2);
    VectorX tau = VectorX::Zero(1);

    joint_reactions(model, ws, {}, wrench);
    generalized_forces(model, ws, wrench, tau);

    // (m l^2 / 3 + n^2 J) q'' + m g l / 2 sin q, with the sign of q that hangs stably at 0.
    EXPECT_DOUBLE_EQ(ws.vdot[0], 3.0) << kind.name;
    EXPECT_NEAR(tau[0], (1.0 / 3.0 + 1.0) * 3.0 + 9.81 * 0.5 * std::sin(0.4), 1e-12) << kind.name;
  }
}

}  // namespace
}  // namespace kinloop
