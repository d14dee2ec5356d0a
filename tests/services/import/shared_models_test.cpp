// Tests the importers on robots made by others; skipped where those are not beside the source tree.
#include <gtest/gtest.h>
#include <urdf_parser/urdf_parser.h>

#include <Eigen/Geometry>
#include <fstream>
#include <sstream>

#include "core/constraints/compile.hpp"
#include "core/kinematics/body_output.hpp"
#include "core/kinematics/forward_kinematics.hpp"
#include "core/model/model.hpp"
#include "services/import/number_text.hpp"
#include "services/import/sdf.hpp"
#include "services/import/urdf.hpp"
#include "services/import/xml_element.hpp"
#include "tests/services/import/import_fixture.hpp"
#include "tests/services/import/tree_kinematics.hpp"

namespace kinloop {
namespace {

struct Expected {
  const char* file;
  int bodies;
  int nq;
  int nv;
  std::size_t loops;
  std::size_t couplings;
  std::size_t frames;
};

void PrintTo(const Expected& expected, std::ostream* out) { *out << expected.file; }

std::string text_of(const std::filesystem::path& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

ImportResult import_any(const std::filesystem::path& path, const ImportOptions& options = {}) {
  return path.extension() == ".sdf" ? import_sdf(path, options) : import_urdf(path, options);
}

double mass_of(const ModelSpec& spec) {
  double mass = 0.0;
  for (const BodySpec& body : spec.bodies) mass += body.mass;
  return mass;
}

/// The sum of all masses in the file, read as plain XML.
double mass_in_file(const XmlElement& element) {
  double mass = 0.0;
  for (const XmlElement& child : element.children) {
    if (child.name != "link") {
      mass += mass_in_file(child);
      continue;
    }
    const XmlElement* inertial = child.child("inertial");
    if (inertial == nullptr) continue;
    const XmlAttribute* value = inertial->child("mass")->attribute("value");
    mass += *to_number(value == nullptr ? inertial->child("mass")->text : value->value);
  }
  return mass;
}

class SharedModel : public testing::TestWithParam<Expected> {
 protected:
  void SetUp() override {
    path_ = shared_models() / GetParam().file;
    if (!std::filesystem::exists(path_)) GTEST_SKIP() << path_ << " is not here";
  }

  std::filesystem::path path_;
};

TEST_P(SharedModel, CompilesToTheExpectedSize) {
  const ImportResult imported = import_any(path_);

  ASSERT_TRUE(imported);
  const auto model = compile(imported->spec);
  ASSERT_TRUE(model);
  EXPECT_EQ(model->body_count(), GetParam().bodies + 1);
  EXPECT_EQ(model->nq(), GetParam().nq);
  EXPECT_EQ(model->nv(), GetParam().nv);
  EXPECT_EQ(imported->spec.loops.size(), GetParam().loops);
  EXPECT_EQ(imported->spec.couplings.size(), GetParam().couplings);
  EXPECT_EQ(imported->spec.frames.size(), GetParam().frames);
  EXPECT_TRUE(model->warnings().empty());
}

TEST_P(SharedModel, KeepsTheMassOfTheFile) {
  const ImportResult unmerged = import_any(path_, {BaseKind::kAuto, FixedJoints::kKeep});
  const ImportResult merged = import_any(path_, {BaseKind::kFloating, FixedJoints::kMerge});

  Diagnostics diagnostics("file");
  const double expected = mass_in_file(*read_xml(text_of(path_), diagnostics));
  ASSERT_TRUE(unmerged && merged);
  EXPECT_NEAR(mass_of(unmerged->spec), expected, 1e-12 * expected);
  // A file with a world link has a base that is fixed whatever the caller wants; its mass is that of a frame.
  double grounded = 0.0;
  for (const FrameOnBodySpec& frame : merged->spec.frames) {
    for (const BodySpec& link : unmerged->spec.bodies) {
      if (frame.body == kGround && frame.name == link.name) grounded += link.mass;
    }
  }
  EXPECT_NEAR(mass_of(merged->spec) + grounded, expected, 1e-12 * expected);
}

TEST_P(SharedModel, PutsMergedLinksWhereTheUnmergedOnesAre) {
  const ImportResult unmerged = import_any(path_, {BaseKind::kAuto, FixedJoints::kKeep});
  const ImportResult merged = import_any(path_);
  ASSERT_TRUE(unmerged && merged);
  std::mt19937 random(31);
  const Coordinates q = random_coordinates(unmerged->spec, random);

  const auto after = forward_kinematics(merged->spec, q);

  for (const auto& [name, pose] : forward_kinematics(unmerged->spec, q)) {
    EXPECT_LT(difference(after.at(name), pose), 1e-12) << name;
  }
}

TEST_P(SharedModel, IsMovedByCoreAsByPlainTransforms) {
  const ImportResult imported = import_any(path_);
  ASSERT_TRUE(imported);
  const auto model = compile(imported->spec);
  ASSERT_TRUE(model);
  State state(*model);
  Workspace ws(*model);
  std::mt19937 random(33);
  const Coordinates q = random_coordinates(imported->spec, random);
  for (const auto& [joint, values] : q) {
    const int start = model->body(model->find_joint(joint)).q;
    for (std::size_t i = 0; i < values.size(); ++i) state.q()[start + static_cast<int>(i)] = values[i];
  }

  update_kinematics(*model, state, ws);

  const auto expected = forward_kinematics(imported->spec, q);
  for (int k = 1; k < model->body_count(); ++k) {
    const BodyOutput body = body_output(*model, ws, k);
    EXPECT_LT(difference({body.R, body.p}, expected.at(model->body_name(k))), 1e-12) << model->body_name(k);
  }
}

TEST_P(SharedModel, ClosesItsLoopsAtTheStart) {
  const ImportResult model = import_any(path_);
  ASSERT_TRUE(model);
  Coordinates initial;
  for (const JointSpec& joint : model->spec.joints) initial[joint.name] = joint.initial_q;

  const auto poses = forward_kinematics(model->spec, initial);

  for (const JointSpec& loop : model->spec.loops) {
    const Pose A = poses.at(loop.predecessor) * loop.frame_pred;
    const Pose B = poses.at(loop.successor) * loop.frame_succ;
    EXPECT_LT(difference(A, B), 1e-12) << loop.name;
  }
}

/// Straight from urdfdom: parent, origin, then the turn or the way along the axis of the file.
Pose link_pose(const urdf::ModelInterface& robot, const std::string& name, const Coordinates& q) {
  const urdf::LinkConstSharedPtr link = robot.getLink(name);
  if (!link->parent_joint) return {};
  const urdf::Joint& joint = *link->parent_joint;
  const urdf::Pose& origin = joint.parent_to_joint_origin_transform;
  const Eigen::Quaterniond turn(origin.rotation.w, origin.rotation.x, origin.rotation.y, origin.rotation.z);
  Pose X_PC{turn.toRotationMatrix(), Vector3(origin.position.x, origin.position.y, origin.position.z)};
  const Vector3 axis = Vector3(joint.axis.x, joint.axis.y, joint.axis.z).normalized();
  const auto value = q.find(joint.name);
  if (joint.type == urdf::Joint::PRISMATIC) {
    X_PC = X_PC * Pose{Matrix3::Identity(), value->second[0] * axis};
  } else if (joint.type != urdf::Joint::FIXED) {
    X_PC = X_PC * Pose{Eigen::AngleAxisd(value->second[0], axis).toRotationMatrix(), Vector3::Zero()};
  }
  return link_pose(robot, joint.parent_link_name, q) * X_PC;
}

class SharedUrdf : public SharedModel {};

TEST_P(SharedUrdf, MovesEveryLinkAsTheFileSays) {
  const ImportResult model = import_urdf(path_);
  const auto robot = urdf::parseURDF(text_of(path_));
  ASSERT_TRUE(model && robot);
  std::mt19937 random(32);
  for (int round = 0; round < 10; ++round) {
    Coordinates q = random_coordinates(model->spec, random);
    const std::string root = robot->getRoot()->name;
    q[root + "_free"] = {0, 0, 0, 1, 0, 0, 0};

    const auto poses = forward_kinematics(model->spec, q);

    for (const auto& [name, link] : robot->links_) {
      if (name == "world") continue;
      EXPECT_LT(difference(poses.at(name), link_pose(*robot, name, q)), 1e-12) << name;
    }
  }
}

std::string name_of(const testing::TestParamInfo<Expected>& expected) {
  const std::string file = expected.param.file;
  return file.substr(0, file.find('.'));
}

const auto kUrdfFiles =
    testing::Values(Expected{"double_pendulum.urdf", 2, 2, 2, 0, 0, 1}, Expected{"ur5_robot.urdf", 6, 6, 6, 0, 0, 4},
                    Expected{"panda.urdf", 9, 9, 9, 0, 1, 4}, Expected{"solo12.urdf", 13, 19, 18, 0, 0, 4},
                    Expected{"talos_reduced.urdf", 33, 39, 38, 0, 0, 27});

INSTANTIATE_TEST_SUITE_P(Urdf, SharedModel, kUrdfFiles, name_of);
INSTANTIATE_TEST_SUITE_P(Urdf, SharedUrdf, kUrdfFiles, name_of);
INSTANTIATE_TEST_SUITE_P(Sdf, SharedModel, testing::Values(Expected{"cassie_v2.sdf", 23, 29, 28, 4, 0, 0}), name_of);

TEST(SharedCassie, PutsEveryLinkWhereTheFileHasIt) {
  const std::filesystem::path path = shared_models() / "cassie_v2.sdf";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not here";
  const ImportResult model = import_sdf(path);
  ASSERT_TRUE(model);
  Diagnostics diagnostics("file");
  const std::optional<XmlElement> sdf = read_xml(text_of(path), diagnostics);
  Coordinates initial;
  for (const JointSpec& joint : model->spec.joints) initial[joint.name] = joint.initial_q;

  const auto poses = forward_kinematics(model->spec, initial);

  for (const XmlElement& link : sdf->child("model")->children) {
    if (link.name != "link") continue;
    const std::vector<double> p = *to_numbers(link.child("pose")->text);
    const Matrix3 R = (Eigen::AngleAxisd(p[5], Vector3::UnitZ()) * Eigen::AngleAxisd(p[4], Vector3::UnitY()) *
                       Eigen::AngleAxisd(p[3], Vector3::UnitX()))
                          .toRotationMatrix();
    EXPECT_LT(difference(poses.at(std::string(link.title())), {R, Vector3(p[0], p[1], p[2])}), 1e-12) << link.title();
  }
}

}  // namespace
}  // namespace kinloop
