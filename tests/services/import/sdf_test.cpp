// Tests the import of SDF: what each element becomes, and what is refused.
#include "services/import/sdf.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <locale>
#include <numbers>

#include "core/constraints/compile.hpp"
#include "core/model/model.hpp"
#include "tests/services/import/import_fixture.hpp"
#include "tests/services/import/tree_kinematics.hpp"

namespace kinloop {
namespace {

using Lines = std::vector<std::string>;
constexpr double kSdfRounding = 1e-14;  // a few products of rotations

constexpr const char* kSdfInertial = "<inertial><mass>2</mass></inertial>";

std::string sdf_link(const std::string& name, const std::string& content = "") {
  return "<link name='" + name + "'>" + content + kSdfInertial + "</link>\n";
}

ImportResult sdf_import_text(const std::string& content, const ImportOptions& options = {}) {
  return import_sdf(write_test_file("m.sdf", "<sdf version='1.9'><model name='m'>\n" + content + "</model></sdf>\n"),
                    options);
}

/// A joint of the world with a body, its frame at (1, 2, 3).
ImportResult sdf_import_joint(const std::string& type, const std::string& content) {
  return sdf_import_text(sdf_link("body", "<pose>1 2 3 0 0 0</pose>") + "<joint name='j' type='" + type +
                         "'><parent>world</parent><child>body</child>" + content + "</joint>\n");
}

Lines sdf_errors_of(const std::string& text) {
  const ImportResult model = import_sdf(write_test_file("bad.sdf", text));
  return model ? Lines{"no error"} : lines_of(model.error());
}

Lines sdf_errors_of_content(const std::string& content) {
  return sdf_errors_of("<sdf version='1.9'><model name='m'>\n" + content + "\n</model></sdf>\n");
}

TEST(Sdf, ReadsARevoluteJointWithAllThatActsAlongIt) {
  const ImportResult model = sdf_import_joint("revolute", R"(<axis><xyz>0 0.6 0.8</xyz>
      <limit><lower>-1</lower><upper>2</upper></limit><dynamics><damping>0.5</damping><friction>0.25</friction>
      <spring_stiffness>10</spring_stiffness><spring_reference>0.1</spring_reference></dynamics></axis>)");

  ASSERT_TRUE(model);
  EXPECT_TRUE(model->warnings.empty());
  const JointSpec& joint = model->spec.joints.at(0);
  EXPECT_EQ(joint.type, JointType::kRevolute);
  const CoordinateSpec& c = joint.coordinates.at(0);
  EXPECT_EQ(c.damping, 0.5);
  EXPECT_EQ(c.dry_friction, 0.25);
  EXPECT_EQ(c.stiffness, 10.0);
  EXPECT_EQ(c.rest, 0.1);
  ASSERT_TRUE(c.limit);
  EXPECT_EQ(c.limit->lower, -1.0);
  EXPECT_EQ(c.limit->upper, 2.0);
  const Matrix3 R = Eigen::AngleAxisd(0.7, Vector3(0, 0.6, 0.8)).toRotationMatrix();
  EXPECT_LT(difference(forward_kinematics(model->spec, {{"j", {0.7}}}).at("body"), {R, Vector3(1, 2, 3)}),
            kSdfRounding);
}

TEST(Sdf, ReadsAContinuousJointWithoutLimits) {
  const ImportResult model = sdf_import_joint("continuous", "<axis><xyz>0 0 1</xyz></axis>");

  ASSERT_TRUE(model);
  EXPECT_EQ(model->spec.joints[0].type, JointType::kRevolute);
  EXPECT_FALSE(model->spec.joints[0].coordinates[0].limit);
}

TEST(Sdf, ReadsAPrismaticJointWithALimitOnOneSide) {
  const ImportResult model =
      sdf_import_joint("prismatic", "<axis><xyz>0 -1 0</xyz><limit><lower>-1</lower><upper>inf</upper></limit></axis>");

  ASSERT_TRUE(model);
  EXPECT_EQ(model->spec.joints[0].coordinates[0].limit->lower, -1.0);
  EXPECT_EQ(model->spec.joints[0].coordinates[0].limit->upper, 1e16);
  const Pose body = forward_kinematics(model->spec, {{"j", {0.5}}}).at("body");
  EXPECT_LT(difference(body, {Matrix3::Identity(), Vector3(1, 1.5, 3)}), kSdfRounding);
  EXPECT_TRUE(compile(model->spec));
}

TEST(Sdf, ReadsABallJoint) {
  const ImportResult model = sdf_import_joint("ball", "<pose>0 0 1 0 0 0</pose>");

  ASSERT_TRUE(model);
  EXPECT_EQ(model->spec.joints[0].type, JointType::kSpherical);
  EXPECT_LT((model->spec.joints[0].frame_pred.p - Vector3(1, 2, 4)).norm(), kSdfRounding);
  EXPECT_TRUE(compile(model->spec));
}

TEST(Sdf, ReadsAUniversalJointAndARevolute2OfTheSameKind) {
  for (const char* type : {"universal", "revolute2"}) {
    const ImportResult model = sdf_import_joint(type, R"(<axis><xyz>0 0 1</xyz></axis>
        <axis2><xyz>1 0 0</xyz><dynamics><damping>3</damping></dynamics></axis2>)");

    ASSERT_TRUE(model);
    EXPECT_EQ(model->spec.joints[0].type, JointType::kUniversal);
    EXPECT_EQ(model->spec.joints[0].coordinates[1].damping, 3.0);
    const Matrix3 R =
        (Eigen::AngleAxisd(0.3, Vector3::UnitZ()) * Eigen::AngleAxisd(0.4, Vector3::UnitX())).toRotationMatrix();
    const Pose body = forward_kinematics(model->spec, {{"j", {0.3, 0.4}}}).at("body");
    EXPECT_LT(difference(body, {R, Vector3(1, 2, 3)}), kSdfRounding);
  }
}

TEST(Sdf, ReadsBothWaysToStateThePitchOfAScrew) {
  const ImportResult modern =
      sdf_import_joint("screw", "<axis><xyz>0 0 1</xyz></axis><screw_thread_pitch>0.1</screw_thread_pitch>");
  const ImportResult gazebo = sdf_import_joint("screw", "<axis><xyz>0 0 1</xyz></axis><thread_pitch>-4</thread_pitch>");

  ASSERT_TRUE(modern && gazebo);
  EXPECT_NEAR(modern->spec.joints[0].pitch * 2.0 * std::numbers::pi, 0.1, kSdfRounding);
  EXPECT_EQ(gazebo->spec.joints[0].pitch, 0.25);
}

TEST(Sdf, ResolvesPosesAndAxesInOtherFrames) {
  const ImportResult model = sdf_import_text(R"(<pose>10 0 0 0 0 1.5707963267948966</pose>
      <frame name='f' attached_to='a'><pose>0 0 1 0 0 0</pose></frame>)" +
                                             sdf_link("a", "<pose>0 0 1 0 0 0</pose>") +
                                             sdf_link("b", "<pose relative_to='f'>1 0 0 0 0 0</pose>") + R"(
      <joint name='j' type='revolute'><parent>f</parent><child>b</child>
        <axis><xyz expressed_in='__model__'>1 0 0</xyz></axis></joint>)");

  ASSERT_TRUE(model);
  Coordinates initial;
  for (const JointSpec& joint : model->spec.joints) initial[joint.name] = joint.initial_q;
  const auto poses = forward_kinematics(model->spec, initial);
  const Matrix3 turn = Eigen::AngleAxisd(std::numbers::pi / 2, Vector3::UnitZ()).toRotationMatrix();
  EXPECT_LT(difference(poses.at("a"), {turn, Vector3(10, 0, 1)}), kSdfRounding);
  EXPECT_LT(difference(poses.at("b"), {turn, Vector3(10, 1, 2)}), kSdfRounding);
  EXPECT_EQ(model->spec.joints[1].predecessor, "a");
  EXPECT_LT((model->spec.joints[1].frame_succ.R.col(2) - Vector3::UnitX()).norm(), kSdfRounding);
}

TEST(Sdf, ClosesAFourBarByALoopJoint) {
  const std::string hinge = "</child><axis><xyz>0 1 0</xyz></axis></joint>\n";
  const ImportResult model = sdf_import_text(
      sdf_link("crank") + sdf_link("coupler", "<pose>0 0 1 0 0 0</pose>") +
      sdf_link("rocker", "<pose>1 0 0 0 0 0</pose>") +
      "<joint name='j1' type='revolute'><parent>world</parent><child>crank" + hinge +
      "<joint name='j2' type='revolute'><parent>crank</parent><child>coupler" + hinge +
      "<joint name='j3' type='revolute'><parent>world</parent><child>rocker" + hinge +
      "<joint name='j4' type='revolute'><pose>1 0 0 0 0 0</pose><parent>rocker</parent><child>coupler" + hinge);

  ASSERT_TRUE(model);
  ASSERT_EQ(model->spec.loops.size(), 1U);
  EXPECT_EQ(model->spec.loops[0].name, "j4");
  const auto poses = forward_kinematics(model->spec, {});
  const JointSpec& loop = model->spec.loops[0];
  EXPECT_LT(difference(poses.at(loop.predecessor) * loop.frame_pred, poses.at(loop.successor) * loop.frame_succ),
            kSdfRounding);
  EXPECT_TRUE(compile(model->spec));
}

TEST(Sdf, TakesGravityAndTheModelFromAWorld) {
  const ImportResult model = import_sdf(write_test_file(
      "w.sdf",
      "<sdf version='1.9'><world name='w'><gravity>0 0 -1.62</gravity><model name='m'><pose>0 0 5 0 0 0</pose>" +
          sdf_link("a") + "</model></world></sdf>"));

  ASSERT_TRUE(model);
  EXPECT_EQ(model->spec.gravity, Vector3(0, 0, -1.62));
  EXPECT_EQ(model->spec.name, "m");
  EXPECT_EQ(model->spec.joints[0].name, "a_free");
  EXPECT_EQ(model->spec.joints[0].initial_q, (std::vector<double>{0, 0, 5, 1, 0, 0, 0}));
}

TEST(Sdf, FixesTheBaseWhereAsked) {
  const ImportResult model = sdf_import_text(sdf_link("a") + sdf_link("b") + R"(<joint name='j' type='revolute'>
      <parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz></axis></joint>)",
                                             {BaseKind::kFixed, FixedJoints::kMerge});

  ASSERT_TRUE(model);
  EXPECT_EQ(model->spec.bodies.size(), 1U);
}

TEST(Sdf, LocksAJointWithEqualLimits) {
  const ImportResult model =
      sdf_import_joint("revolute", "<axis><xyz>0 0 1</xyz><limit><lower>0</lower><upper>0</upper></limit></axis>");

  ASSERT_TRUE(model);
  EXPECT_EQ(lines_of(model->warnings),
            (Lines{"m.sdf:3:1: joint 'j': is locked, since its lower limit equals its upper one"}));
  EXPECT_TRUE(model->spec.bodies.empty());
}

TEST(Sdf, TurnsTheInertiaIntoTheAxesOfTheLink) {
  const ImportResult model = sdf_import_text(R"(<link name='a'><inertial><pose>1 0 0 0 0 1.5707963267948966</pose>
      <mass>2</mass><inertia><ixx>1</ixx><iyy>2</iyy><izz>2.5</izz></inertia></inertial></link>)");

  ASSERT_TRUE(model);
  EXPECT_EQ(model->spec.bodies[0].com, Vector3(1, 0, 0));
  EXPECT_LT((model->spec.bodies[0].inertia - Matrix3(Vector3(2, 1, 2.5).asDiagonal())).norm(), kSdfRounding);
}

TEST(Sdf, ReadsPrimitiveShapesAndOpensNoMesh) {
  const ImportResult model = sdf_import_text(sdf_link("a", R"(
      <visual name='v1'><pose>0 0 1 0 0 0</pose><geometry><box><size>1 2 3</size></box></geometry>
        <material><diffuse>1 0 0 1</diffuse></material></visual>
      <visual name='v2'><geometry><capsule><radius>1</radius><length>2</length></capsule></geometry></visual>
      <visual name='v3'><geometry><mesh><uri>model://no/such.dae</uri></mesh></geometry></visual>)"));

  ASSERT_TRUE(model);
  const std::vector<ShapeSpec>& shapes = model->spec.bodies[0].shapes;
  ASSERT_EQ(shapes.size(), 2U);
  EXPECT_EQ(shapes[0].size, Vector3(1, 2, 3));
  EXPECT_EQ(shapes[0].pose.p, Vector3(0, 0, 1));
  EXPECT_EQ(shapes[0].colour, (std::array<double, 3>{1.0, 0.0, 0.0}));
  EXPECT_EQ(shapes[1].kind, ShapeKind::kCapsule);
  EXPECT_EQ(lines_of(model->warnings), (Lines{"m.sdf: meshes and other shapes are not shown: 1"}));
}

TEST(Sdf, WarnsOfTheMassThatSdfGivesToALinkWithoutInertial) {
  const ImportResult model = sdf_import_text("<link name='a'/>");

  ASSERT_TRUE(model);
  EXPECT_EQ(model->spec.bodies[0].mass, 1.0);
  EXPECT_EQ(lines_of(model->warnings),
            (Lines{"m.sdf:2:1: link 'a': has no <inertial>: by SDF's default it has 1 kg and 1 kg m^2"}));
}

TEST(Sdf, LoadsAnInertiaThatBreaksTheTriangleInequality) {
  const ImportResult model =
      sdf_import_text("<link name='a'><inertial><inertia><izz>5</izz></inertia></inertial></link>");

  ASSERT_TRUE(model);
  EXPECT_EQ(model->spec.bodies[0].inertia(2, 2), 5.0);
}

TEST(SdfErrors, TellsOtherFormats) {
  EXPECT_EQ(sdf_errors_of("<robot name='r'/>"),
            (Lines{"bad.sdf:1:1: is no SDF: its root is <robot>, not <sdf> (a URDF file)"}));
}

TEST(SdfErrors, ReportsAllProblemsAtOnceAndPrintsNothing) {
  testing::internal::CaptureStderr();
  const Lines lines = sdf_errors_of_content(R"(<link name='a'><inertial><mass>1,5</mass></inertial></link>
<link name='a'><pose>0 0 x 0 0 0</pose></link>
<joint name='g' type='gearbox'><parent>a</parent><child>a</child></joint>
<joint name='j1' type='revolute'><parent>a</parent><child>zz</child></joint>
<joint name='j2' type='universal'><child>world</child><axis><xyz>0 0 0</xyz></axis></joint>
<joint name='j3' type='revolute'><parent>world</parent><child>a</child><axis><mimic joint='j1'/>
<limit><lower>2</lower><upper>1</upper></limit></axis></joint>
<include><uri>model://x</uri></include>
<model name='n'/>
<static>true</static>)");

  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(lines,
            (Lines{"bad.sdf:2:26: link 'a': <mass> '1,5' is no number",
                   "bad.sdf:3:1: link 'a': the link in line 2 has the same name",
                   "bad.sdf:3:16: link 'a': <pose> '0 0 x 0 0 0' is no list of 6 numbers",
                   "bad.sdf:4:17: joint 'g': type 'gearbox' is none of 'revolute', 'continuous', 'prismatic', "
                   "'ball', 'universal', 'revolute2', 'screw', 'fixed'",
                   "bad.sdf:5:1: joint 'j1': has no <axis>", "bad.sdf:5:52: joint 'j1': child: no link is named 'zz'",
                   "bad.sdf:6:1: joint 'j2': has no <parent>", "bad.sdf:6:1: joint 'j2': has no <axis2>",
                   "bad.sdf:6:35: joint 'j2': the world cannot be the child",
                   "bad.sdf:6:61: joint 'j2': <axis> is zero", "bad.sdf:7:78: joint 'j3': <mimic> is not supported",
                   "bad.sdf:8:1: joint 'j3': the lower limit is above the upper one",
                   "bad.sdf:9:1: <include> is not followed: 'model://x'; put the model into this file",
                   "bad.sdf:10:1: model 'n': is a nested model, which is not supported",
                   "bad.sdf:11:1: model 'm': is static: nothing in it moves"}));
}

TEST(SdfErrors, WantsOneModel) {
  EXPECT_EQ(sdf_errors_of("<sdf version='1.9'/>"), (Lines{"bad.sdf:1:1: has no model"}));
  EXPECT_EQ(sdf_errors_of("<sdf version='1.9'><world name='w'><model name='a'/>\n<model name='b'/></world></sdf>"),
            (Lines{"bad.sdf:2:1: model 'b': is a second model beside 'a'"}));
}

TEST(SdfErrors, RefusesImpossibleMassesAndAxes) {
  EXPECT_EQ(sdf_errors_of_content(R"(<link name='a'><inertial><mass>-1</mass></inertial></link>
<link name='b'><inertial><inertia><izz>-1</izz></inertia></inertial></link>
<joint name='j' type='revolute2'><parent>a</parent><child>b</child><axis><xyz>1 0 0</xyz></axis>
<axis2><xyz>1 1 0</xyz></axis2></joint>)"),
            (Lines{"bad.sdf:2:16: link 'a': the mass is negative",
                   "bad.sdf:4:1: joint 'j': its two axes are not perpendicular"}));
}

TEST(SdfErrors, PassesOnWhatOnlyLibsdformatRefuses) {
  const Lines lines = sdf_errors_of_content("<link name='a'><pose relative_to='a'>0 0 0 0 0 0</pose></link>");

  ASSERT_FALSE(lines.empty());
  EXPECT_TRUE(lines[0].starts_with("bad.sdf: libsdformat refuses it: ")) << lines[0];
}

TEST(SdfErrors, RefusesEntitiesAndDeepNesting) {
  EXPECT_EQ(sdf_errors_of("<!DOCTYPE s [<!ENTITY a 'aaaa'>]><sdf version='1.9'/>"),
            (Lines{"bad.sdf:1:1: document type declarations and entities are not accepted"}));
  std::string deep = "<sdf version='1.9'>";
  for (int i = 0; i < 100000; ++i) deep += "<a>";
  EXPECT_EQ(sdf_errors_of(deep), (Lines{"bad.sdf:1:209: elements are nested more than 64 deep"}));
}

class SdfCommaDecimals : public std::numpunct<char> {
 protected:
  char do_decimal_point() const override { return ','; }
};

TEST(SdfLocale, ReadsDecimalPointsWhateverTheLocale) {
  const std::locale before = std::locale::global(std::locale(std::locale::classic(), new SdfCommaDecimals));

  const ImportResult model =
      sdf_import_text("<link name='a'><pose>0.5 0 0 0 0 0</pose><inertial><mass>1.5</mass></inertial></link>");

  std::locale::global(before);
  ASSERT_TRUE(model);
  EXPECT_EQ(model->spec.bodies[0].mass, 1.5);
  EXPECT_EQ(model->spec.joints[0].initial_q[0], 0.5);
}

}  // namespace
}  // namespace kinloop
