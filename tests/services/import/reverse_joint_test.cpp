// Tests that a reversed joint allows the same motions, with the same coordinates where it promises so.
#include "services/import/reverse_joint.hpp"

#include <gtest/gtest.h>

#include "core/joints/joint.hpp"
#include "services/import/joint_pose.hpp"
#include "tests/services/import/tree_kinematics.hpp"

namespace kinloop {
namespace {

constexpr double kReverseJointRounding = 1e-14;  // a few products of rotations

JointSpec joint_between_a_and_b(JointType type, std::mt19937& random) {
  JointSpec joint;
  joint.name = "j";
  joint.type = type;
  joint.predecessor = "a";
  joint.successor = "b";
  joint.frame_pred = random_pose(random);
  joint.frame_succ = random_pose(random);
  if (type == JointType::kScrew) joint.pitch = 0.3;
  ModelSpec spec;
  spec.joints = {joint};
  joint.initial_q = random_coordinates(spec, random).at("j");
  return joint;
}

/// Pose of the successor in the predecessor at the joint's initial position.
Pose successor_in_predecessor(const JointSpec& joint) {
  return joint.frame_pred * joint_pose(joint.type, joint.pitch, joint.initial_q) * inverse(joint.frame_succ);
}

class ReversibleJoint : public testing::TestWithParam<JointType> {};

TEST_P(ReversibleJoint, PutsTheBodiesWhereTheOriginalDoes) {
  std::mt19937 random(1);
  const JointSpec joint = joint_between_a_and_b(GetParam(), random);

  const Result<JointSpec> turned = reversed(joint);

  ASSERT_TRUE(turned);
  EXPECT_EQ(turned->predecessor, "b");
  EXPECT_EQ(turned->successor, "a");
  EXPECT_LT(difference(successor_in_predecessor(*turned), inverse(successor_in_predecessor(joint))),
            kReverseJointRounding);
}

TEST_P(ReversibleJoint, ReversedTwicePutsTheBodiesWhereTheyWere) {
  std::mt19937 random(2);
  const JointSpec joint = joint_between_a_and_b(GetParam(), random);

  const Result<JointSpec> twice = reversed(*reversed(joint));

  ASSERT_TRUE(twice);
  EXPECT_LT(difference(successor_in_predecessor(*twice), successor_in_predecessor(joint)), kReverseJointRounding);
}

INSTANTIATE_TEST_SUITE_P(ReverseJoint, ReversibleJoint,
                         testing::Values(JointType::kFixed, JointType::kRevolute, JointType::kPrismatic,
                                         JointType::kScrew, JointType::kCylindrical, JointType::kUniversal,
                                         JointType::kSpherical, JointType::kPlanar, JointType::kFree),
                         [](const auto& type) { return std::string(joint_kind(type.param).name); });

TEST(ReverseJoint, KeepsTheCoordinatesOfJointsAlongOneAxis) {
  std::mt19937 random(3);
  for (const JointType type :
       {JointType::kRevolute, JointType::kPrismatic, JointType::kScrew, JointType::kCylindrical}) {
    const JointSpec joint = joint_between_a_and_b(type, random);

    const Result<JointSpec> turned = reversed(joint);

    ASSERT_TRUE(turned);
    EXPECT_EQ(turned->initial_q, joint.initial_q);
  }
}

TEST(ReverseJoint, ExchangesTheCoordinatesOfAUniversalJoint) {
  std::mt19937 random(4);
  JointSpec joint = joint_between_a_and_b(JointType::kUniversal, random);
  joint.coordinates.resize(2);
  joint.coordinates[0].damping = 1.0;
  joint.coordinates[1].damping = 2.0;

  const Result<JointSpec> turned = reversed(joint);

  ASSERT_TRUE(turned);
  EXPECT_EQ(turned->initial_q, (std::vector<double>{joint.initial_q[1], joint.initial_q[0]}));
  EXPECT_EQ(turned->coordinates[0].damping, 2.0);
  EXPECT_EQ(turned->coordinates[1].damping, 1.0);
}

TEST(ReverseJoint, ReversesTheSpeedOfASphericalJoint) {
  std::mt19937 random(5);
  JointSpec joint = joint_between_a_and_b(JointType::kSpherical, random);
  joint.initial_u = {0.1, -0.2, 0.3};

  const Result<JointSpec> turned = reversed(joint);

  // The angular velocity of b relative to a, in the axes of a, seen through either joint.
  ASSERT_TRUE(turned);
  const Matrix3 R_aB = joint.frame_pred.R * joint_pose(joint.type, 0.0, joint.initial_q).R;
  const Vector3 w_original = R_aB * Vector3(0.1, -0.2, 0.3);
  const Vector3 w_turned =
      turned->frame_succ.R * Vector3(turned->initial_u[0], turned->initial_u[1], turned->initial_u[2]);
  EXPECT_LT((w_original + w_turned).norm(), kReverseJointRounding);
}

TEST(ReverseJoint, RefusesAPlanarJointWithASpring) {
  std::mt19937 random(6);
  JointSpec joint = joint_between_a_and_b(JointType::kPlanar, random);
  joint.coordinates.resize(3);
  joint.coordinates[0].stiffness = 10.0;

  const Result<JointSpec> turned = reversed(joint);

  ASSERT_FALSE(turned);
  EXPECT_EQ(turned.error(), (Error{"joint 'j'",
                                   "must be turned around (from 'b' to 'a'), which a planar joint with "
                                   "forces along its coordinates does not allow"}));
}

TEST(ReverseJoint, RefusesPinSlotAndCam) {
  JointSpec joint;
  joint.name = "j";
  for (const JointType type : {JointType::kPinSlot, JointType::kCam}) {
    joint.type = type;

    EXPECT_FALSE(reversed(joint));
  }
}

}  // namespace
}  // namespace kinloop
