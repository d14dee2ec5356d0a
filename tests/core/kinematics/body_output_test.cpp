// Tests the motion of bodies in the file's frame against differences in time.
#include "core/kinematics/body_output.hpp"

#include <gtest/gtest.h>

#include "core/constraints/compile.hpp"
#include "core/dynamics/forward_dynamics.hpp"
#include "tests/support/vectors.hpp"

namespace kinloop {
namespace {

TEST(BodyOutput, AFallingBodyFallsWithGravity) {
  ModelSpec spec;
  spec.gravity = Vector3(1.0, -2.0, -9.0);
  BodySpec body;
  body.name = "stone";
  body.mass = 2.0;
  body.com = Vector3(0.1, 0.2, 0.3);
  body.inertia = Vector3(1.0, 2.0, 2.5).asDiagonal();
  spec.bodies = {body};
  JointSpec joint;
  joint.name = "flight";
  joint.type = JointType::kFree;
  joint.predecessor = kGround;
  joint.successor = "stone";
  joint.frame_succ.p = Vector3(-0.4, 0.5, 0.6);
  joint.initial_u = {1.0, 2.0, 3.0, 0.4, 0.5, -0.6};
  spec.joints = {joint};
  const auto model = compile(spec);
  ASSERT_TRUE(model);
  const auto dynamics = make_dynamics("rfda", *model);
  ASSERT_TRUE(dynamics);
  Workspace ws(*model);
  ASSERT_EQ(accelerations(*model, State(*model), Loads(*model), **dynamics, ws), StepStatus::kOk);

  const BodyOutput out = body_output(*model, ws, 1);

  EXPECT_LT((out.a_com - spec.gravity).norm(), 1e-14);
  EXPECT_LT((out.p - Vector3(0.4, -0.5, -0.6)).norm(), 1e-15);
  EXPECT_LT((out.v_origin - (Vector3(1.0, 2.0, 3.0) + skew(out.omega) * Vector3(0.4, -0.5, -0.6))).norm(), 1e-15);
  // Points of one body: a_com - a_origin = alpha x c + omega x (omega x c).
  const Vector3 c = out.R * body.com;
  EXPECT_LT((out.a_com - out.a_origin - skew(out.alpha) * c - skew(out.omega) * (skew(out.omega) * c)).norm(), 1e-14);
}

TEST(BodyOutput, TheGroundRests) {
  const LoadedModel file = test::load_vectors("pendulum");
  const auto dynamics = make_dynamics("rfda", file.model);
  Workspace ws(file.model);
  ASSERT_EQ(accelerations(file.model, State(file.model), Loads(file.model), **dynamics, ws), StepStatus::kOk);

  const BodyOutput out = body_output(file.model, ws, 0);

  EXPECT_EQ(out.a_origin, Vector3::Zero());
  EXPECT_EQ(out.alpha, Vector3::Zero());
}

}  // namespace
}  // namespace kinloop
