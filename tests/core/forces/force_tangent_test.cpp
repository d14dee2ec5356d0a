// Tests stiffness and damping matrices against the forces of the elements.
#include "core/forces/force_tangent.hpp"

#include <gtest/gtest.h>

#include "core/dynamics/forward_dynamics.hpp"
#include "core/dynamics/mass_matrix.hpp"
#include "core/forces/joint_forces.hpp"
#include "core/kinematics/forward_kinematics.hpp"
#include "tests/support/mechanisms.hpp"

namespace kinloop {
namespace {

ModelSpec with_elements() {
  return mechanisms::random_tree(31, 14, {.joint_forces = true, .springs = true, .bushings = true, .shuffled = true});
}

void remove_damping(ModelSpec& spec) {
  for (JointSpec& joint : spec.joints) {
    for (CoordinateSpec& c : joint.coordinates) c.damping = c.dry_friction = 0.0;
  }
  for (SpringSpec& spring : spec.springs) spring.damping = 0.0;
  for (BushingSpec& bushing : spec.bushings) bushing.damping = bushing.rotational_damping = Vector3::Zero();
}

VectorX vdot_of(const Model& model, const State& state) {
  Workspace ws(model);
  const auto dynamics = std::move(make_dynamics("rfda", model)).value();
  EXPECT_EQ(accelerations(model, state, Loads(model), *dynamics, ws), StepStatus::kOk);
  return ws.vdot;
}

// Dampers are linear in v and friction enters by its secant, so C v is all that they do.
TEST(ForceTangent, DampingTimesSpeedIsTheForceOfAllDampers) {
  ModelSpec undamped_spec = with_elements();
  remove_damping(undamped_spec);
  const Model model = mechanisms::compiled(with_elements());
  const Model undamped = mechanisms::compiled(undamped_spec);
  const State state(model);
  Workspace ws(model);
  update_kinematics(model, state, ws);
  MatrixX M;
  mass_matrix(model, ws, M);
  ForceTangent tangent(model);

  tangent.update(model, state.q().data(), state.v().data(), ws);

  const VectorX force = M * (vdot_of(model, state) - vdot_of(undamped, state));
  EXPECT_GT(force.cwiseAbs().maxCoeff(), 0.1);
  EXPECT_LT((force + tangent.C() * state.v()).cwiseAbs().maxCoeff(), 1e-11);
}

TEST(ForceTangent, MatricesAreSymmetricAndNotNegative) {
  const Model model = mechanisms::compiled(with_elements());
  const State state(model);
  Workspace ws(model);
  update_kinematics(model, state, ws);
  ForceTangent tangent(model);
  Random random(5);

  tangent.update(model, state.q().data(), state.v().data(), ws);

  for (const MatrixX& matrix : {tangent.K(), tangent.C()}) {
    EXPECT_LT((matrix - matrix.transpose()).cwiseAbs().maxCoeff(), 1e-14 * matrix.cwiseAbs().maxCoeff());
    for (int i = 0; i < 100; ++i) {
      VectorX x(model.nv());
      for (double& entry : x) entry = random.uniform(-1.0, 1.0);
      EXPECT_GE(x.dot(matrix * x), 0.0);
    }
  }
}

// A spring without tension: the neglected part of the derivative is zero, so K is the derivative itself.
TEST(ForceTangent, StiffnessOfARelaxedElementIsTheDerivativeOfItsForce) {
  ModelSpec spec = mechanisms::chain(4);
  spec.gravity = Vector3::Zero();
  for (JointSpec& joint : spec.joints) joint.initial_u = {};
  const Model plain = mechanisms::compiled(spec);
  const State state(plain);
  Workspace ws_plain(plain);
  update_kinematics(plain, state, ws_plain);
  const auto pose_of = [&](int k) {
    const BodyMotion& m = ws_plain.motion[static_cast<std::size_t>(k)];
    return Pose{m.R.eigen(), m.x.eigen()} * plain.body_frame(k);
  };
  SpringSpec spring{"spring", "bar0", "bar3", Vector3(0.1, 0.2, -0.1), Vector3(-0.1, 0.1, -0.3), 70.0, 0.0, 0.0, 0.0};
  const Vector3 a = pose_of(1).p + pose_of(1).R * spring.point_a;
  spring.rest_length = (pose_of(4).p + pose_of(4).R * spring.point_b - a).norm();
  BushingSpec bushing;
  bushing.name = "bushing";
  bushing.body_a = "bar1";
  bushing.body_b = "bar2";
  bushing.frame_a.p = Vector3(0.1, 0.0, -0.2);
  bushing.frame_b = inverse(pose_of(3)) * pose_of(2) * bushing.frame_a;
  bushing.stiffness = Vector3(30.0, 20.0, 10.0);
  bushing.rotational_stiffness = Vector3(3.0, 2.0, 1.0);
  spec.springs = {spring};
  spec.bushings = {bushing};
  const Model model = mechanisms::compiled(spec);
  Workspace ws(model);
  update_kinematics(model, state, ws);
  ForceTangent tangent(model);

  tangent.update(model, state.q().data(), state.v().data(), ws);

  constexpr double kStep = 1e-5;
  const auto force_at = [&](int i, double change) -> VectorX {
    State moved = state;
    moved.q()[i] += change;
    Workspace ws_moved(model);
    update_kinematics(model, moved, ws_moved);
    MatrixX M;
    mass_matrix(model, ws_moved, M);
    return M * vdot_of(model, moved);
  };
  for (int i = 0; i < model.nv(); ++i) {
    const VectorX column = (force_at(i, -kStep) - force_at(i, kStep)) / (2.0 * kStep);
    EXPECT_LT((column - tangent.K().col(i)).cwiseAbs().maxCoeff(), 1e-6) << i;
  }
}

TEST(EndStop, PushesOnlyInsideAndNotWhileTheJointLeavesFast) {
  CoordinateConstants c;
  c.limited = true;
  c.lower = -1.0;
  c.upper = 1.0;
  c.limit_stiffness = 100.0;
  c.limit_damping = 10.0;

  EXPECT_FALSE(stop_pushes(c, 0.9, 5.0));
  EXPECT_TRUE(stop_pushes(c, 1.1, 0.0));
  EXPECT_TRUE(stop_pushes(c, 1.1, -0.5));
  EXPECT_FALSE(stop_pushes(c, 1.1, -1.5));
  EXPECT_TRUE(stop_pushes(c, -1.1, 0.5));
  EXPECT_FALSE(stop_pushes(c, -1.1, 1.5));
  EXPECT_NEAR(joint_force(c, 1.1, -0.5), -5.0, 1e-13);
  EXPECT_EQ(joint_force(c, 1.1, -1.5), 0.0);
  EXPECT_EQ(joint_tangent(c, 1.1, -0.5).stiffness, 100.0);
  EXPECT_EQ(joint_tangent(c, 1.1, -1.5).stiffness, 0.0);
}

}  // namespace
}  // namespace kinloop
