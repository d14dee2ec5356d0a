// Tests what the reader of model files makes of the ways to write the same thing.
#include "services/files/model_file.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <filesystem>
#include <numbers>
#include <string>

#include "services/base/diagnostics.hpp"
#include "services/base/text_file.hpp"
#include "tests/support/error_text.hpp"
#include "tests/support/model_text.hpp"

namespace kinloop {
namespace {

constexpr double kModelFilePi = std::numbers::pi;
constexpr double kRounding = 1e-14;

/// A model of one body "rod" on one joint "pin" that has these further lines.
std::string with_joint(const std::string& type, const std::string& lines) {
  return "kinloop: 1\nbodies: [{name: rod, mass: 1, inertia: [1, 1, 1]}]\njoints:\n  - name: pin\n    type: " + type +
         "\n    predecessor: ground\n    successor: rod\n    " + lines + "\n";
}

std::string with_body(const std::string& body) {
  return "kinloop: 1\nbodies:\n  - {name: rod, " + body +
         "}\njoints: [{name: pin, type: revolute, predecessor: ground, successor: rod}]\n";
}

ModelSpec read(const std::string& text) {
  const auto spec = read_model_text(text, "m.yaml");
  EXPECT_TRUE(spec) << (spec ? "" : to_text(spec.error()));
  return spec ? *spec : ModelSpec{};
}

JointSpec joint(const std::string& type, const std::string& lines) { return read(with_joint(type, lines)).joints[0]; }
BodySpec body(const std::string& text) { return read(with_body(text)).bodies[0]; }

TEST(ModelFile, EveryWayToWriteARotationGivesTheSame) {
  const Matrix3 quarter = Eigen::AngleAxisd(kModelFilePi / 2, Vector3::UnitX()).toRotationMatrix();

  for (const char* pose :
       {"R: [[1, 0, 0], [0, 0, -1], [0, 1, 0]]", "rpy: [90 deg, 0, 0]", "axis: [2, 0, 0], angle: 90 deg",
        "quaternion: [sqrt(0.5), sqrt(0.5), 0, 0]", "z: [0, -3, 0]", "z: [0, -1, 0], x: [1, -5, 0]"}) {
    const Pose frame = joint("revolute", std::string("frame_pred: {p: [1, 2, 3 mm], ") + pose + "}").frame_pred;
    EXPECT_LT((frame.R - quarter).norm(), kRounding) << pose;
    EXPECT_EQ(frame.p, Vector3(1, 2, 3e-3));
  }
}

TEST(ModelFile, RollPitchYawTurnAboutFixedAxesInThisOrder) {
  const Matrix3 R = joint("fixed", "frame_succ: {rpy: [0.1, 0.2, 0.3]}").frame_succ.R;

  const Matrix3 expected = (Eigen::AngleAxisd(0.3, Vector3::UnitZ()) * Eigen::AngleAxisd(0.2, Vector3::UnitY()) *
                            Eigen::AngleAxisd(0.1, Vector3::UnitX()))
                               .toRotationMatrix();
  EXPECT_LT((R - expected).norm(), kRounding);
}

TEST(ModelFile, AnAxisTurnsTheFramesThatGiveNoRotation) {
  const JointSpec both = joint("revolute", "axis: [0, 2, 0]");
  const JointSpec one = joint("revolute", "axis: [0, 2, 0]\n    frame_succ: {z: [0, 1, 0], x: [0, 0, 1]}");

  EXPECT_LT((both.frame_pred.R.col(2) - Vector3::UnitY()).norm(), kRounding);
  EXPECT_LT((both.frame_pred.R - both.frame_succ.R).norm(), kRounding);
  EXPECT_LT((one.frame_pred.R.col(2) - Vector3::UnitY()).norm(), kRounding);
  EXPECT_LT((one.frame_succ.R.col(2) - Vector3::UnitY()).norm(), kRounding);
  EXPECT_LT((one.frame_succ.R.col(0) - Vector3::UnitZ()).norm(), kRounding);
}

// What the directory of a run holds was read so by the version that wrote it (docs/compatibility.md).
TEST(ModelFile, AModelOfAnEarlierRunKeepsAFrameThatItsAxisDidNotTurn) {
  auto document = parse_yaml(with_joint("revolute", "axis: [0, 1, 0]\n    frame_succ: {z: [1, 0, 0]}"), "m.yaml");
  ASSERT_TRUE(document);
  ASSERT_FALSE(read_model(*document));
  document->former_keys = FormerKeys::kAccepted;

  const auto spec = read_model(*document);

  ASSERT_TRUE(spec) << to_text(spec.error());
  EXPECT_LT((spec->joints[0].frame_pred.R.col(2) - Vector3::UnitY()).norm(), kRounding);
  EXPECT_LT((spec->joints[0].frame_succ.R.col(2) - Vector3::UnitX()).norm(), kRounding);
}

TEST(ModelFile, AnAxisAgainstZIsHalfATurn) {
  const Matrix3 R = joint("revolute", "axis: [0, 0, -1]").frame_pred.R;

  EXPECT_NEAR(R.determinant(), 1.0, kRounding);
  EXPECT_LT((R.col(2) + Vector3::UnitZ()).norm(), kRounding);
}

TEST(ModelFile, EveryWayToWriteAnInertiaGivesTheSame) {
  Matrix3 expected;
  expected << 1.0, 0.1, 0.2, 0.1, 2.0, 0.3, 0.2, 0.3, 2.5;

  EXPECT_EQ(body("mass: 1, inertia: [[1, 0.1, 0.2], [0.1, 2, 0.3], [0.2, 0.3, 2.5]]").inertia, expected);
  EXPECT_EQ(body("mass: 1, inertia: {xx: 1, yy: 2, zz: 2.5, xy: 0.1, xz: 0.2, yz: 0.3}").inertia, expected);
  EXPECT_EQ(body("mass: 1, inertia: [1, 2, 2.5]").inertia, Matrix3(Vector3(1, 2, 2.5).asDiagonal()));
}

TEST(ModelFile, ShapesWithADensityAddUp) {
  const BodySpec dumbbell = body(
      "density: 1000, shapes: [{type: sphere, radius: 0.1, pose: {p: [-1, 0, 0]}},"
      " {type: sphere, radius: 0.1, pose: {p: [1, 0, 0]}},"
      " {type: capsule, radius: 0.01, from: [-1, 0, 0], to: [1, 0, 0], density: 0}]");

  const double ball = 1000.0 * 4.0 / 3.0 * kModelFilePi * 1e-3;
  EXPECT_NEAR(dumbbell.mass, 2.0 * ball, kRounding * ball);
  EXPECT_LT(dumbbell.com.norm(), kRounding);
  EXPECT_NEAR(dumbbell.inertia(0, 0), 2.0 * 0.4 * ball * 0.01, 1e-13);
  EXPECT_NEAR(dumbbell.inertia(1, 1), 2.0 * ball * (0.4 * 0.01 + 1.0), 1e-13);
}

TEST(ModelFile, ShapesWithoutADensityAreForTheEyes) {
  const BodySpec seen = body("mass: 3, shapes: [{type: box, size: [1, 1, 1], colour: [1, 0.5, 0]}]");

  EXPECT_EQ(seen.mass, 3.0);
  EXPECT_EQ(seen.inertia, Matrix3::Zero());
  ASSERT_EQ(seen.shapes.size(), 1U);
  EXPECT_EQ(seen.shapes[0].colour[1], 0.5);
}

TEST(ModelFile, AJointOfOneCoordinateMayHaveItsKeysItself) {
  const JointSpec direct = joint("revolute", "damping: 2\n    q: 90 deg\n    u: [60 rpm]");
  const JointSpec listed = joint("revolute", "coordinates: [{damping: 2}]\n    q: [90 deg]\n    u: 60 rpm");

  for (const JointSpec& spec : {direct, listed}) {
    ASSERT_EQ(spec.coordinates.size(), 1U);
    EXPECT_EQ(spec.coordinates[0].damping, 2.0);
    EXPECT_DOUBLE_EQ(spec.initial_q.at(0), kModelFilePi / 2);
    EXPECT_DOUBLE_EQ(spec.initial_u.at(0), 2.0 * kModelFilePi);
  }
}

TEST(ModelFile, UnitsFollowTheCoordinatesOfTheJoint) {
  const JointSpec planar = joint("planar",
                                 "coordinates: [{stiffness: 2 kN/m}, {}, {stiffness: 3 kN*m/rad}]\n"
                                 "    q: [1 cm, 2 cm, 30 deg]\n    u: [1 mm/s, 0, 1 rpm]");

  EXPECT_DOUBLE_EQ(planar.coordinates[0].stiffness, 2000.0);
  EXPECT_DOUBLE_EQ(planar.coordinates[2].stiffness, 3000.0);
  EXPECT_DOUBLE_EQ(planar.initial_q[2], kModelFilePi / 6);
  EXPECT_DOUBLE_EQ(planar.initial_u[0], 1e-3);
}

TEST(ModelFile, AConstantForceHasTheUnitOfItsCoordinate) {
  EXPECT_DOUBLE_EQ(joint("prismatic", "force: 2 kN").coordinates.at(0).force, 2000.0);
  EXPECT_DOUBLE_EQ(joint("revolute", "force: -3 Nm").coordinates.at(0).force, -3.0);
  EXPECT_DOUBLE_EQ(joint("cylindrical", "coordinates: [{}, {force: 4 N}]").coordinates.at(1).force, 4.0);
}

TEST(ModelFile, AMotionIsReadWithTheUnitsOfEachCoefficient) {
  const CoordinateSpec slide =
      joint("prismatic",
            "motion: {polynomial: [1 cm, 2 cm/s, 3 cm/s^2], frequency: 60 rpm, harmonics: [[1 mm, 2 mm]], "
            "table: [[0, 0], [500 ms, 4 mm], [1, 0]], period: 2 s}")
          .coordinates[0];

  ASSERT_TRUE(slide.motion);
  EXPECT_EQ(slide.motion->polynomial, (std::vector<double>{0.01, 0.02, 0.03}));
  EXPECT_DOUBLE_EQ(slide.motion->frequency_rad, 2.0 * kModelFilePi);
  EXPECT_EQ(slide.motion->harmonics[0], (std::array<double, 2>{1e-3, 2e-3}));
  EXPECT_EQ(slide.motion->table_x, (std::vector<double>{0.0, 0.5, 1.0}));
  EXPECT_EQ(slide.motion->table_y[1], 4e-3);
  EXPECT_EQ(slide.motion->table_period, 2.0);
}

TEST(ModelFile, JsonIsReadToo) {
  const ModelSpec spec = read(
      "{\"kinloop\": 1, \"gravity\": [0, 0, 0], \"bodies\": [{\"name\": \"a\", \"mass\": \"2 lb\"}],\n"
      "\t\"joints\": [{\"name\": \"j\", \"type\": \"free\", \"predecessor\": \"ground\", \"successor\": \"a\"}]}");

  EXPECT_DOUBLE_EQ(spec.bodies.at(0).mass, 2 * 0.45359237);
  EXPECT_EQ(spec.gravity, Vector3::Zero());
}

TEST(ModelFile, ForceElementsAndFramesAreRead) {
  const ModelSpec spec =
      read(with_joint("prismatic", "axis: [1, 0, 0]") +
           "springs: [{name: s, body_a: ground, point_a: [1, 0, 0], body_b: rod, stiffness: 1 kN/m, rest_length: 5 cm,"
           " damping: 2, force: 3 N}]\n"
           "bushings: [{name: b, body_a: ground, body_b: rod, frame_a: {p: [0, 0, 1]}, stiffness: 1 kN/mm,"
           " rotational_damping: [1, 2, 3]}]\n"
           "frames: [{name: tip, body: rod, pose: {p: [0, 0, 1]}}]\n"
           "loops: [{name: l, type: screw, predecessor: ground, successor: rod, pitch: 5 mm}]\n");

  EXPECT_EQ(spec.springs.at(0).stiffness, 1000.0);
  EXPECT_EQ(spec.springs.at(0).force, 3.0);
  EXPECT_EQ(spec.bushings.at(0).stiffness, Vector3::Constant(1e6));
  EXPECT_EQ(spec.bushings.at(0).rotational_damping, Vector3(1, 2, 3));
  EXPECT_EQ(spec.frames.at(0).pose.p.z(), 1.0);
  EXPECT_DOUBLE_EQ(spec.loops.at(0).pitch, 5e-3);
}

TEST(ModelFile, RopesPlanesContactsAndSceneryAreRead) {
  const ModelSpec spec =
      read(with_joint("revolute", "axis: [1, 0, 0]") +
           "ropes: [{name: r, body_a: ground, body_b: rod, point_b: [0, 0, 1], length: 50 cm, stiffness: 1 kN/mm,"
           " dissipation: 0.5 s/m, winch: pin, pay_out: 12 cm}]\n"
           "planes: [{name: floor, stiffness: 1 MN/m, friction: 0.5, friction_speed: 1 cm/s},\n"
           "  {name: pit, body: rod, type: soil, pose: {z: [1, 0, 0]}, stiffness: 1 kN/m, digging: 2 kN/m,"
           " max_force: 3 kN}]\n"
           "contacts: [{name: ball, body: rod, type: sphere, radius: 5 cm, planes: [floor]},\n"
           "  {name: edge, body: rod, type: box, size: [0, 1 m, 0], pose: {p: [0, 0, 1]}, planes: [floor]}]\n"
           "scenery: [{type: sphere, radius: 2, pose: {p: [3, 0, 0]}}]\n");

  EXPECT_EQ(spec.ropes.at(0).stiffness, 1e6);
  EXPECT_EQ(spec.ropes.at(0).winch, "pin");
  EXPECT_DOUBLE_EQ(spec.ropes.at(0).pay_out, 0.12);
  EXPECT_EQ(spec.planes.at(0).kind, PlaneKind::kFirm);
  EXPECT_EQ(spec.planes.at(0).body, kGround);
  EXPECT_DOUBLE_EQ(spec.planes.at(0).friction_speed, 0.01);
  EXPECT_EQ(spec.planes.at(1).kind, PlaneKind::kSoil);
  EXPECT_EQ(spec.planes.at(1).max_force, 3e3);
  EXPECT_DOUBLE_EQ(spec.planes.at(1).friction_speed, 0.1);
  EXPECT_NEAR((spec.planes.at(1).frame.R.col(2) - Vector3::UnitX()).norm(), 0.0, 1e-15);
  EXPECT_DOUBLE_EQ(spec.contacts.at(0).size[0], 0.05);
  EXPECT_EQ(spec.contacts.at(1).shape, ContactShape::kBox);
  EXPECT_EQ(spec.contacts.at(1).planes, std::vector<std::string>{"floor"});
  EXPECT_EQ(spec.scenery.at(0).pose.p.x(), 3.0);
}

TEST(ModelFile, ARackTurnsAnglesIntoLengths) {
  const ModelSpec spec = read(
      "kinloop: 1\nbodies: [{name: gear, mass: 1}, {name: rack, mass: 1}]\njoints:\n"
      "  - {name: turn, type: revolute, predecessor: ground, successor: gear}\n"
      "  - {name: slide, type: prismatic, predecessor: ground, successor: rack}\n"
      "couplings: [{name: c, joint: slide, of: turn, ratio: 20 mm, offset: 1 cm}]\n");

  EXPECT_DOUBLE_EQ(spec.couplings.at(0).ratio, 0.02);
  EXPECT_DOUBLE_EQ(spec.couplings.at(0).offset, 0.01);
}

TEST(ModelFile, AWarningOfTheCompilerHasItsPlaceInTheFile) {
  const auto file = compile_model_text(with_body("mass: 1, inertia: [1, 1, 5]"), "m.yaml");

  ASSERT_TRUE(file) << to_text(file.error());
  EXPECT_EQ(to_text(file->warnings),
            "m.yaml:3:35: bodies[0].inertia: no rigid body has this inertia: it breaks the triangle inequality\n");
}

TEST(ModelFile, ThePendulumOfTheDocumentationIsAModel) {
  const auto page = read_text_file(std::filesystem::path(KINLOOP_SOURCE_DIR) / "docs/model-format.md", 1 << 20);
  ASSERT_TRUE(page);
  const std::string fence = "```yaml\n";
  const std::size_t start = page->find(fence) + fence.size();

  const auto file = compile_model_text(page->substr(start, page->find("```", start) - start), "pendulum.yaml");

  ASSERT_TRUE(file) << to_text(file.error());
  EXPECT_EQ(file->model.nq(), 1);
}

TEST(ModelFile, AMissingFileIsAnError) {
  const auto file = compile_model_file("no/such/model.yaml");

  EXPECT_FALSE(file);
}

}  // namespace
}  // namespace kinloop
