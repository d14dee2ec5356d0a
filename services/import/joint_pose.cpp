// Implements joint poses on top of the joint table of core.
#include "services/import/joint_pose.hpp"

#include <array>

#include "core/base/require.hpp"
#include "core/joints/joint.hpp"

namespace kinloop {
namespace {

std::vector<double> zero_coordinates(const JointKind& kind) {
  std::vector<double> q(static_cast<std::size_t>(kind.nq), 0.0);
  if (kind.quaternion >= 0) q[static_cast<std::size_t>(kind.quaternion)] = 1.0;
  return q;
}

JointParameters with_pitch(double pitch) {
  JointParameters parameters;
  parameters.pitch = pitch;
  return parameters;
}

}  // namespace

Pose joint_pose(JointType type, double pitch, const std::vector<double>& q) {
  require(type != JointType::kCam, "the joint is no cam");
  const JointKind& kind = joint_kind(type);
  const std::vector<double> coordinates = q.empty() ? zero_coordinates(kind) : q;
  const std::array<double, 6> rest{};
  JointMotion motion;
  kind.evaluate(with_pitch(pitch), coordinates.data(), rest.data(), motion);
  return {motion.R.eigen(), motion.p.eigen()};
}

std::vector<double> joint_coordinates(JointType type, double pitch, const Pose& X_AB) {
  require(type != JointType::kCam, "the joint is no cam");
  const JointKind& kind = joint_kind(type);
  std::vector<double> q = zero_coordinates(kind);
  kind.fit(with_pitch(pitch), Mat3(X_AB.R), Vec3(X_AB.p), q.data());
  return q;
}

}  // namespace kinloop
