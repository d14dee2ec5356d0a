// Implements plain forward kinematics.
#include "tests/services/import/tree_kinematics.hpp"

#include <Eigen/Geometry>

#include "core/joints/joint.hpp"
#include "services/import/joint_pose.hpp"

namespace kinloop {
namespace {

double uniform(std::mt19937& random) { return std::uniform_real_distribution<double>(-1.0, 1.0)(random); }

Eigen::Quaterniond random_rotation(std::mt19937& random) {
  return Eigen::Quaterniond(uniform(random), uniform(random), uniform(random), uniform(random)).normalized();
}

}  // namespace

std::map<std::string, Pose> forward_kinematics(const ModelSpec& spec, const Coordinates& q) {
  std::map<std::string, Pose> poses{{kGround, Pose{}}};
  // Joints may be listed in any order: as many rounds as there are joints suffice.
  for (std::size_t round = 0; round < spec.joints.size(); ++round) {
    for (const JointSpec& joint : spec.joints) {
      const auto parent = poses.find(joint.predecessor);
      if (parent == poses.end() || poses.contains(joint.successor)) continue;
      const auto found = q.find(joint.name);
      const Pose X_AB = joint_pose(joint.type, joint.pitch, found == q.end() ? std::vector<double>{} : found->second);
      poses[joint.successor] = parent->second * joint.frame_pred * X_AB * inverse(joint.frame_succ);
    }
  }
  for (const FrameOnBodySpec& frame : spec.frames) poses[frame.name] = poses.at(frame.body) * frame.pose;
  return poses;
}

Coordinates random_coordinates(const ModelSpec& spec, std::mt19937& random) {
  Coordinates q;
  for (const JointSpec& joint : spec.joints) {
    const JointKind& kind = joint_kind(joint.type);
    std::vector<double>& values = q[joint.name];
    for (int i = 0; i < kind.nq; ++i) values.push_back(uniform(random));
    if (kind.quaternion < 0) continue;
    const Eigen::Quaterniond rotation = random_rotation(random);
    const auto at = static_cast<std::size_t>(kind.quaternion);
    values[at] = rotation.w();
    values[at + 1] = rotation.x();
    values[at + 2] = rotation.y();
    values[at + 3] = rotation.z();
  }
  return q;
}

Pose random_pose(std::mt19937& random) {
  return {random_rotation(random).toRotationMatrix(), Vector3(uniform(random), uniform(random), uniform(random))};
}

double difference(const Pose& a, const Pose& b) {
  return std::max((a.R - b.R).cwiseAbs().maxCoeff(), (a.p - b.p).cwiseAbs().maxCoeff());
}

BodySpec random_body(const std::string& name, std::mt19937& random) {
  BodySpec body;
  body.name = name;
  body.mass = 1.5 + uniform(random);
  const Pose pose = random_pose(random);
  body.com = pose.p;
  body.inertia = pose.R * Vector3(0.3, 0.4, 0.5).asDiagonal() * pose.R.transpose();
  return body;
}

}  // namespace kinloop
