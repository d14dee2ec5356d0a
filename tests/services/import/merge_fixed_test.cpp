// Tests that merging fixed joints changes neither the mass of a mechanism nor where its parts are.
#include "services/import/merge_fixed.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/constraints/compile.hpp"
#include "core/model/model.hpp"
#include "tests/services/import/tree_kinematics.hpp"

namespace kinloop {
namespace {

constexpr double kMergeFixedRounding = 1e-13;  // chains of a few joints

JointSpec joint(const std::string& name, JointType type, const std::string& from, const std::string& to,
                std::mt19937& random) {
  JointSpec out;
  out.name = name;
  out.type = type;
  out.predecessor = from;
  out.successor = to;
  out.frame_pred = random_pose(random);
  out.frame_succ = random_pose(random);
  return out;
}

/// ground -revolute- a -fixed- b -fixed- c -universal- d -fixed- e, and a massless link f fixed to d.
ModelSpec mixed_tree() {
  std::mt19937 random(11);
  ModelSpec spec;
  for (const char* name : {"a", "b", "c", "d", "e", "f"}) spec.bodies.push_back(random_body(name, random));
  spec.bodies.back().mass = 0.0;
  spec.bodies.back().inertia.setZero();
  spec.joints = {
      joint("ga", JointType::kRevolute, kGround, "a", random), joint("ab", JointType::kFixed, "a", "b", random),
      joint("bc", JointType::kFixed, "b", "c", random),        joint("cd", JointType::kUniversal, "c", "d", random),
      joint("de", JointType::kFixed, "d", "e", random),        joint("df", JointType::kFixed, "d", "f", random)};
  return spec;
}

struct Totals {
  double mass = 0.0;
  Vector3 first = Vector3::Zero();
  Matrix3 second = Matrix3::Zero();  // about the origin of the ground
};

Totals totals(const ModelSpec& spec, const Coordinates& q) {
  Totals sum;
  const auto poses = forward_kinematics(spec, q);
  for (const BodySpec& body : spec.bodies) {
    const Pose& X = poses.at(body.name);
    const Vector3 com = X.p + X.R * body.com;
    sum.mass += body.mass;
    sum.first += body.mass * com;
    sum.second += X.R * body.inertia * X.R.transpose() +
                  body.mass * (com.squaredNorm() * Matrix3::Identity() - com * com.transpose());
  }
  return sum;
}

TEST(MergeFixed, ConservesMassCentreAndInertia) {
  const ModelSpec spec = mixed_tree();
  std::mt19937 random(12);
  const Coordinates q = random_coordinates(spec, random);

  const ImportResult merged = merge_fixed_joints(spec);

  ASSERT_TRUE(merged);
  const Totals before = totals(spec, q);
  const Totals after = totals(merged->spec, q);
  EXPECT_NEAR(after.mass, before.mass, kMergeFixedRounding);
  EXPECT_LT((after.first - before.first).norm(), 10 * kMergeFixedRounding);
  EXPECT_LT((after.second - before.second).norm(), 100 * kMergeFixedRounding);
}

TEST(MergeFixed, LeavesEveryLinkWhereItWas) {
  const ModelSpec spec = mixed_tree();
  std::mt19937 random(13);
  const Coordinates q = random_coordinates(spec, random);

  const ImportResult merged = merge_fixed_joints(spec);

  ASSERT_TRUE(merged);
  const auto after = forward_kinematics(merged->spec, q);
  for (const auto& [name, pose] : forward_kinematics(spec, q)) {
    EXPECT_LT(difference(after.at(name), pose), kMergeFixedRounding) << name;
  }
}

TEST(MergeFixed, KeepsOneBodyPerMovingJointAndAFrameForEachOther) {
  const ImportResult merged = merge_fixed_joints(mixed_tree());

  ASSERT_TRUE(merged);
  EXPECT_EQ(merged->spec.joints.size(), 2U);
  ASSERT_EQ(merged->spec.bodies.size(), 2U);
  EXPECT_EQ(merged->spec.bodies[0].name, "a");
  EXPECT_EQ(merged->spec.bodies[1].name, "d");
  std::vector<std::string> frames;
  for (const FrameOnBodySpec& frame : merged->spec.frames) frames.push_back(frame.name + " on " + frame.body);
  EXPECT_EQ(frames, (std::vector<std::string>{"b on a", "c on a", "e on d", "f on d"}));
  EXPECT_TRUE(compile(merged->spec));
}

TEST(MergeFixed, MovesShapesFramesSpringsAndBushings) {
  ModelSpec spec = mixed_tree();
  std::mt19937 random(14);
  const Coordinates q = random_coordinates(spec, random);
  ShapeSpec shape;
  shape.pose = random_pose(random);
  spec.bodies[2].shapes = {shape};
  spec.frames = {{"tool", "e", random_pose(random)}};
  spec.springs = {{"s", "c", "e", random_pose(random).p, random_pose(random).p, 1.0, 0.0, 0.0, 0.0}};
  BushingSpec bushing;
  bushing.body_a = "e";
  bushing.body_b = kGround;
  bushing.frame_a = random_pose(random);
  spec.bushings = {bushing};

  const ImportResult merged = merge_fixed_joints(spec);

  ASSERT_TRUE(merged);
  const ModelSpec& out = merged->spec;
  const auto before = forward_kinematics(spec, q);
  const auto after = forward_kinematics(out, q);
  EXPECT_LT(difference(after.at("a") * out.bodies[0].shapes.at(0).pose, before.at("c") * shape.pose),
            kMergeFixedRounding);
  EXPECT_LT(difference(after.at("tool"), before.at("tool")), kMergeFixedRounding);
  const auto point = [](const Pose& X, const Vector3& p) { return Vector3(X.p + X.R * p); };
  EXPECT_EQ(out.springs[0].body_b, "d");
  EXPECT_LT((point(after.at("d"), out.springs[0].point_b) - point(before.at("e"), spec.springs[0].point_b)).norm(),
            kMergeFixedRounding);
  EXPECT_LT(difference(after.at("d") * out.bushings[0].frame_a, before.at("e") * bushing.frame_a), kMergeFixedRounding);
  EXPECT_TRUE(compile(out));
}

TEST(MergeFixed, TurnsWhatIsFixedToTheGroundIntoFramesOfTheGround) {
  std::mt19937 random(15);
  ModelSpec spec;
  for (const char* name : {"base", "arm"}) spec.bodies.push_back(random_body(name, random));
  spec.joints = {joint("foot", JointType::kFixed, kGround, "base", random),
                 joint("shoulder", JointType::kRevolute, "base", "arm", random)};

  const ImportResult merged = merge_fixed_joints(spec);

  ASSERT_TRUE(merged);
  ASSERT_EQ(merged->spec.bodies.size(), 1U);
  EXPECT_EQ(merged->spec.joints[0].predecessor, kGround);
  EXPECT_EQ(merged->spec.frames[0].body, kGround);
  EXPECT_TRUE(compile(merged->spec));
}

TEST(MergeFixed, GivesAMasslessBodyTheMassOfWhatIsFixedToIt) {
  std::mt19937 random(16);
  ModelSpec spec;
  spec.bodies = {BodySpec{}, random_body("b", random)};
  spec.bodies[0].name = "a";
  spec.joints = {joint("ga", JointType::kRevolute, kGround, "a", random),
                 joint("ab", JointType::kFixed, "a", "b", random)};

  const ImportResult merged = merge_fixed_joints(spec);

  ASSERT_TRUE(merged);
  EXPECT_NEAR(merged->spec.bodies[0].mass, spec.bodies[1].mass, kMergeFixedRounding);
  EXPECT_TRUE(compile(merged->spec));
}

/// Two bodies welded together, and a loop joint of the given type between them that fits if it may.
ModelSpec loop_inside_a_weld(JointType type, double gap_m) {
  std::mt19937 random(17);
  ModelSpec spec;
  for (const char* name : {"a", "b"}) spec.bodies.push_back(random_body(name, random));
  spec.joints = {joint("ga", JointType::kRevolute, kGround, "a", random),
                 joint("ab", JointType::kFixed, "a", "b", random)};
  const auto poses = forward_kinematics(spec, {});
  const Pose X_WJ = random_pose(random);
  JointSpec loop = joint("loop", type, "a", "b", random);
  loop.frame_pred = inverse(poses.at("a")) * X_WJ;
  loop.frame_succ = inverse(poses.at("b")) * X_WJ * Pose{Matrix3::Identity(), Vector3(gap_m, 0.0, 0.0)};
  spec.loops = {loop};
  return spec;
}

TEST(MergeFixed, DropsALoopJointInsideOneBody) {
  for (const JointType type : {JointType::kFixed, JointType::kRevolute, JointType::kSpherical}) {
    const ImportResult merged = merge_fixed_joints(loop_inside_a_weld(type, 0.0));

    ASSERT_TRUE(merged);
    EXPECT_TRUE(merged->spec.loops.empty());
    EXPECT_EQ(merged->warnings, (std::vector<Error>{{"joint 'loop'", "ignored, since both of its ends are on 'a'"}}));
  }
}

TEST(MergeFixed, RefusesALoopJointInsideOneBodyWhoseEndsDoNotMeet) {
  const ImportResult merged = merge_fixed_joints(loop_inside_a_weld(JointType::kRevolute, 0.003));

  ASSERT_FALSE(merged);
  ASSERT_EQ(merged.error().size(), 1U);
  EXPECT_EQ(merged.error()[0].where, "joint 'loop'");
  EXPECT_TRUE(merged.error()[0].what.starts_with("can never be closed: both of its ends are on 'a', 0.003 m"));
}

TEST(MergeFixed, TurnsALoopJointThatComesToEndAtTheGround) {
  std::mt19937 random(18);
  ModelSpec spec;
  for (const char* name : {"post", "arm"}) spec.bodies.push_back(random_body(name, random));
  spec.joints = {joint("weld", JointType::kFixed, kGround, "post", random),
                 joint("ga", JointType::kRevolute, kGround, "arm", random)};
  spec.loops = {joint("loop", JointType::kSpherical, "arm", "post", random)};

  const ImportResult merged = merge_fixed_joints(spec);

  ASSERT_TRUE(merged);
  EXPECT_EQ(merged->spec.loops[0].predecessor, kGround);
  EXPECT_EQ(merged->spec.loops[0].successor, "arm");
  EXPECT_TRUE(compile(merged->spec));
}

}  // namespace
}  // namespace kinloop
