// Tests the import of URDF: what each element becomes.
#include "services/import/urdf.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <numbers>

#include "core/constraints/compile.hpp"
#include "core/model/model.hpp"
#include "tests/services/import/import_fixture.hpp"
#include "tests/services/import/tree_kinematics.hpp"

namespace kinloop {
namespace {

using Lines = std::vector<std::string>;
constexpr double kUrdfRounding = 1e-14;  // a few products of rotations

constexpr const char* kUrdfInertial =
    R"(<inertial><mass value="2"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>)";

std::string urdf_link(const std::string& name, const std::string& content = kUrdfInertial) {
  return "<link name=\"" + name + "\">" + content + "</link>\n";
}

/// A world, a body and the joint between them.
ImportResult urdf_import_joint(const std::string& type, const std::string& content) {
  return import_urdf(write_test_file(
      "joint.urdf", "<robot name=\"r\">\n<link name=\"world\"/>\n" + urdf_link("body") + "<joint name=\"j\" type=\"" +
                        type + "\"><parent link=\"world\"/><child link=\"body\"/>" + content + "</joint>\n</robot>\n"));
}

ImportResult urdf_import_text(const std::string& content, const ImportOptions& options = {}) {
  return import_urdf(write_test_file("robot.urdf", "<robot name=\"r\">\n" + content + "</robot>\n"), options);
}

TEST(Urdf, ReadsARevoluteJointWithLimitsDampingAndFriction) {
  const ImportResult model = urdf_import_joint("revolute",
                                               R"(<origin xyz="1 2 3" rpy="0.1 0.2 0.3"/><axis xyz="0 3 4"/>
      <limit lower="-1" upper="2" effort="5" velocity="6"/><dynamics damping="0.5" friction="0.25"/>)");

  ASSERT_TRUE(model);
  EXPECT_TRUE(model->warnings.empty());
  const JointSpec& joint = model->spec.joints.at(0);
  EXPECT_EQ(joint.type, JointType::kRevolute);
  EXPECT_EQ(joint.predecessor, kGround);
  const CoordinateSpec& c = joint.coordinates.at(0);
  EXPECT_EQ(c.damping, 0.5);
  EXPECT_EQ(c.dry_friction, 0.25);
  ASSERT_TRUE(c.limit);
  EXPECT_EQ(c.limit->lower, -1.0);
  EXPECT_EQ(c.limit->upper, 2.0);
  EXPECT_FALSE(c.limit->stiffness);
  const double q = 0.7;
  const Matrix3 R = (Eigen::AngleAxisd(0.3, Vector3::UnitZ()) * Eigen::AngleAxisd(0.2, Vector3::UnitY()) *
                     Eigen::AngleAxisd(0.1, Vector3::UnitX()) * Eigen::AngleAxisd(q, Vector3(0, 0.6, 0.8)))
                        .toRotationMatrix();
  EXPECT_LT(difference(forward_kinematics(model->spec, {{"j", {q}}}).at("body"), {R, Vector3(1, 2, 3)}), kUrdfRounding);
}

TEST(Urdf, ReadsAContinuousJointWithoutLimits) {
  const ImportResult model = urdf_import_joint("continuous", R"(<axis xyz="0 0 -1"/>)");

  ASSERT_TRUE(model);
  EXPECT_FALSE(model->spec.joints[0].coordinates[0].limit);
  const Matrix3 R = Eigen::AngleAxisd(0.4, -Vector3::UnitZ()).toRotationMatrix();
  EXPECT_LT(difference(forward_kinematics(model->spec, {{"j", {0.4}}}).at("body"), {R, Vector3::Zero()}),
            kUrdfRounding);
}

TEST(Urdf, ReadsAPrismaticJointAlongXWhereNoAxisIsGiven) {
  const ImportResult model = urdf_import_joint("prismatic", R"(<limit lower="-1" upper="1" effort="0" velocity="0"/>)");

  ASSERT_TRUE(model);
  const Pose body = forward_kinematics(model->spec, {{"j", {0.4}}}).at("body");
  EXPECT_LT(difference(body, {Matrix3::Identity(), Vector3(0.4, 0, 0)}), kUrdfRounding);
}

TEST(Urdf, ReadsAFloatingJoint) {
  const ImportResult model = urdf_import_joint("floating", R"(<origin xyz="0 0 1"/>)");

  ASSERT_TRUE(model);
  EXPECT_EQ(model->spec.joints[0].type, JointType::kFree);
  EXPECT_TRUE(compile(model->spec));
}

TEST(Urdf, ReadsAPlanarJointWithItsNormal) {
  const ImportResult model = urdf_import_joint("planar", R"(<axis xyz="0 1 0"/>)");

  ASSERT_TRUE(model);
  EXPECT_EQ(model->spec.joints[0].type, JointType::kPlanar);
  const Pose body = forward_kinematics(model->spec, {{"j", {0.3, 0.4, 0.5}}}).at("body");
  EXPECT_NEAR(body.p.y(), 0.0, kUrdfRounding);
  EXPECT_NEAR(body.p.norm(), 0.5, kUrdfRounding);
  EXPECT_LT((body.R - Eigen::AngleAxisd(0.5, Vector3::UnitY()).toRotationMatrix()).norm(), kUrdfRounding);
}

TEST(Urdf, TurnsTheInertiaIntoTheAxesOfTheLink) {
  const ImportResult model =
      urdf_import_text(urdf_link("body", R"(<inertial><origin xyz="1 0 0" rpy="0 0 1.5707963267948966"/>
      <mass value="2"/><inertia ixx="1" ixy="0" ixz="0" iyy="2" iyz="0" izz="2.5"/></inertial>)"));

  ASSERT_TRUE(model);
  const BodySpec& body = model->spec.bodies.at(0);
  EXPECT_EQ(body.mass, 2.0);
  EXPECT_EQ(body.com, Vector3(1, 0, 0));
  EXPECT_LT((body.inertia - Matrix3(Vector3(2, 1, 2.5).asDiagonal())).norm(), kUrdfRounding);
}

TEST(Urdf, ReadsPrimitiveShapesAndOpensNoMesh) {
  const ImportResult model = urdf_import_text("<material name=\"red\"><color rgba=\"1 0 0 1\"/></material>" +
                                              urdf_link("body", std::string(kUrdfInertial) + R"(
    <visual><origin xyz="0 0 1"/><geometry><box size="1 2 3"/></geometry><material name="red"/></visual>
    <visual><geometry><cylinder radius="1" length="2"/></geometry></visual>
    <visual><geometry><sphere radius="4"/></geometry></visual>
    <visual><geometry><mesh filename="/no/such/file.stl"/></geometry></visual>
    <collision><geometry><sphere radius="9"/></geometry></collision>)"));

  ASSERT_TRUE(model);
  const std::vector<ShapeSpec>& shapes = model->spec.bodies[0].shapes;
  ASSERT_EQ(shapes.size(), 3U);
  EXPECT_EQ(shapes[0].kind, ShapeKind::kBox);
  EXPECT_EQ(shapes[0].size, Vector3(1, 2, 3));
  EXPECT_EQ(shapes[0].pose.p, Vector3(0, 0, 1));
  EXPECT_EQ(shapes[0].colour, (std::array<double, 3>{1.0, 0.0, 0.0}));
  EXPECT_EQ(shapes[1].kind, ShapeKind::kCylinder);
  EXPECT_EQ(shapes[1].size, Vector3(1, 2, 0));
  EXPECT_EQ(shapes[2].kind, ShapeKind::kSphere);
  EXPECT_EQ(lines_of(model->warnings)[0], "robot.urdf: meshes are not shown: 1");
}

TEST(Urdf, ShowsCollisionShapesWhereThereIsNothingElse) {
  const ImportResult model = urdf_import_text(urdf_link(
      "body", std::string(kUrdfInertial) + "<collision><geometry><sphere radius=\"9\"/></geometry></collision>"));

  ASSERT_TRUE(model);
  ASSERT_EQ(model->spec.bodies[0].shapes.size(), 1U);
}

constexpr const char* kTwoFingers = R"(
<joint name="left" type="prismatic"><parent link="hand"/><child link="l"/><limit lower="1" upper="2" effort="0" velocity="0"/></joint>
<joint name="right" type="continuous"><parent link="hand"/><child link="r"/><mimic joint="left" multiplier="-2" offset="0.5"/></joint>
)";

TEST(Urdf, ReadsMimicAsACouplingThatHoldsAtTheStart) {
  const ImportResult model = urdf_import_text(urdf_link("hand") + urdf_link("l") + urdf_link("r") + kTwoFingers);

  ASSERT_TRUE(model);
  ASSERT_EQ(model->spec.couplings.size(), 1U);
  const CouplingSpec& coupling = model->spec.couplings[0];
  EXPECT_EQ(coupling.joint, "right");
  EXPECT_EQ(coupling.of, "left");
  EXPECT_EQ(coupling.ratio, -2.0);
  EXPECT_EQ(coupling.offset, 0.5);
  EXPECT_EQ(model->spec.joints[1].initial_q, std::vector<double>{1.5});   // the middle of its range
  EXPECT_EQ(model->spec.joints[2].initial_q, std::vector<double>{-2.5});  // -2 * 1.5 + 0.5
  EXPECT_TRUE(compile(model->spec));
}

TEST(Urdf, KeepsTheOrderOfTheFile) {
  const ImportResult model = urdf_import_text(urdf_link("z") + urdf_link("y") + urdf_link("a") + R"(
    <joint name="zy" type="continuous"><parent link="z"/><child link="y"/></joint>
    <joint name="za" type="continuous"><parent link="z"/><child link="a"/></joint>)");

  ASSERT_TRUE(model);
  Lines names;
  for (const JointSpec& joint : model->spec.joints) names.push_back(joint.name);
  EXPECT_EQ(names, (Lines{"z_free", "zy", "za"}));
}

constexpr const char* kArm = R"(<joint name="j" type="continuous"><parent link="base"/><child link="arm"/></joint>)";

TEST(Urdf, LetsTheCallerChooseTheBase) {
  const std::string text = urdf_link("base") + urdf_link("arm") + kArm;

  const ImportResult automatic = urdf_import_text(text);
  const ImportResult floating = urdf_import_text(text, {BaseKind::kFloating, FixedJoints::kMerge});
  const ImportResult fixed = urdf_import_text(text, {BaseKind::kFixed, FixedJoints::kMerge});

  ASSERT_TRUE(automatic && floating && fixed);
  EXPECT_EQ(automatic->spec.bodies.size(), 1U);
  EXPECT_EQ(lines_of(automatic->warnings),
            (Lines{"robot.urdf: link 'base': taken as fixed to the ground, since one moving joint leaves it"}));
  EXPECT_EQ(floating->spec.bodies.size(), 2U);
  EXPECT_TRUE(floating->warnings.empty());
  EXPECT_EQ(fixed->spec.bodies.size(), 1U);
}

TEST(Urdf, MergesFixedLinksAndKeepsTheirFrames) {
  const ImportResult model = urdf_import_text(urdf_link("base") + urdf_link("arm") + urdf_link("tool", "") + kArm + R"(
      <joint name="t" type="fixed"><parent link="arm"/><child link="tool"/><origin xyz="0 0 1"/></joint>)");

  ASSERT_TRUE(model);
  EXPECT_EQ(model->spec.bodies.size(), 1U);
  ASSERT_EQ(model->spec.frames.size(), 2U);
  EXPECT_EQ(model->spec.frames[1].name, "tool");
  EXPECT_EQ(model->spec.frames[1].body, "arm");
  EXPECT_EQ(model->spec.frames[1].pose.p, Vector3(0, 0, 1));
}

TEST(Urdf, LocksAJointWithEqualLimitsOtherThanZero) {
  const ImportResult model =
      urdf_import_joint("prismatic", R"(<limit lower="0.5" upper="0.5" effort="0" velocity="0"/>)");

  ASSERT_TRUE(model);
  EXPECT_EQ(lines_of(model->warnings),
            (Lines{"joint.urdf:4:1: joint 'j': is locked, since its lower limit equals its upper one"}));
  EXPECT_EQ(model->spec.frames[0].pose.p, Vector3(0.5, 0, 0));
}

TEST(Urdf, TakesLimitsThatAreBothZeroAsLeftBlank) {
  const ImportResult model = urdf_import_joint("revolute", R"(<limit effort="0" velocity="0"/>)");

  ASSERT_TRUE(model);
  EXPECT_EQ(lines_of(model->warnings),
            (Lines{"joint.urdf:4:1: joint 'j': moves without limits, since its lower and upper limit are both zero, as "
                   "if left blank"}));
  EXPECT_FALSE(model->spec.joints[0].coordinates[0].limit);
}

TEST(Urdf, LoadsAnInertiaThatBreaksTheTriangleInequality) {
  const ImportResult model = urdf_import_text(urdf_link("body", R"(<inertial><mass value="2"/>
      <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="5"/></inertial>)"));

  ASSERT_TRUE(model);
  const auto compiled = compile(model->spec);
  ASSERT_TRUE(compiled);
  EXPECT_EQ(compiled->warnings().size(), 1U);
}

}  // namespace
}  // namespace kinloop
