// Implements the reversal: T(q) leads from A to B, so the reversed joint needs C^-1 T(q)^-1 C = T(q') for a fixed turn
// C.
#include "services/import/reverse_joint.hpp"

#include <string>
#include <utility>

#include "core/joints/joint.hpp"
#include "services/import/joint_load.hpp"
#include "services/import/joint_pose.hpp"

namespace kinloop {
namespace {

/// Half a turn about x: turns z around, so that an angle about it and a way along it keep their signs.
Matrix3 half_turn_x() { return Vector3(1.0, -1.0, -1.0).asDiagonal(); }

/// Takes x to -y and y to -x: (Rx(a) Ry(b))^-1 = Ry(-b) Rx(-a) becomes Rx(b) Ry(a).
Matrix3 universal_turn() {
  Matrix3 C;
  C << 0, -1, 0, -1, 0, 0, 0, 0, -1;
  return C;
}

template <class T>
void exchange_two(std::vector<T>& values) {
  if (values.size() == 2) std::swap(values[0], values[1]);
}

void invert_initial(const JointSpec& joint, JointSpec& out) {
  const Pose X_AB = joint_pose(joint.type, joint.pitch, joint.initial_q);
  if (!joint.initial_q.empty()) out.initial_q = joint_coordinates(joint.type, joint.pitch, inverse(X_AB));
  if (!joint.initial_u.empty()) {
    // Spherical: the angular velocity of A relative to B, in the axes of A.
    const Vector3 w_BA_A = -X_AB.R * Vector3(joint.initial_u[0], joint.initial_u[1], joint.initial_u[2]);
    out.initial_u.assign(w_BA_A.data(), w_BA_A.data() + 3);
  }
}

}  // namespace

Result<JointSpec> reversed(const JointSpec& joint) {
  const auto refuse = [&joint](const std::string& why) {
    return Error{"joint '" + joint.name + "'", "must be turned around (from '" + joint.successor + "' to '" +
                                                   joint.predecessor + "'), which a " +
                                                   std::string(joint_kind(joint.type).name) + " joint " + why};
  };
  JointSpec out = joint;
  std::swap(out.predecessor, out.successor);
  std::swap(out.frame_pred, out.frame_succ);
  switch (joint_kind(joint.type).reversal) {
    case JointReversal::kExchange:
      return out;
    case JointReversal::kHalfTurn:
      out.frame_pred.R = out.frame_pred.R * half_turn_x();
      out.frame_succ.R = out.frame_succ.R * half_turn_x();
      return out;
    case JointReversal::kSwapAxes:
      out.frame_pred.R = out.frame_pred.R * universal_turn();
      out.frame_succ.R = out.frame_succ.R * universal_turn();
      exchange_two(out.coordinates);
      exchange_two(out.initial_q);
      exchange_two(out.initial_u);
      return out;
    case JointReversal::kInvertPoseAtRest:
      if (carries_load(joint)) return refuse("with forces along its coordinates does not allow");
      if (!joint.initial_u.empty()) return refuse("with initial speeds does not allow");
      [[fallthrough]];
    case JointReversal::kInvertPose:
      invert_initial(joint, out);
      return out;
    case JointReversal::kNone:
      break;
  }
  return refuse("does not allow");
}

}  // namespace kinloop
