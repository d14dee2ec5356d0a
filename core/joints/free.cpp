// Free joint: position of B in A, unit quaternion; speeds are the position's derivative in A, angular velocity in B.
#include "core/joints/types.hpp"

namespace kinloop::joints {
namespace {

void evaluate_free(const JointParameters& /*parameters*/, const double* q, const double* /*v*/,
                   JointMotion& out) noexcept {
  out.R = rotation_from_quaternion(q + 3);
  out.p = Vec3(q[0], q[1], q[2]);
  const Mat3 axes = identity3();
  for (std::size_t i = 0; i < 3; ++i) {
    out.Hw[i] = Vec3();
    out.Hv[i] = axes.c[i];
    out.Hw[3 + i] = out.R.c[i];
    out.Hv[3 + i] = Vec3();
  }
  out.bw = out.bv = Vec3();
}

void fit_free(const JointParameters& /*parameters*/, const Mat3& R, const Vec3& p, double* q) noexcept {
  for (int i = 0; i < 3; ++i) q[i] = p[i];
  quaternion_from_rotation(R, q + 3);
}

}  // namespace

constinit const JointKind kFree{
    .type = JointType::kFree,
    .name = "free",
    .nq = 7,
    .nv = 6,
    .quaternion = 3,
    .evaluate = evaluate_free,
    .fit = fit_free,
    .speeds = {SpeedKind::kLength, SpeedKind::kLength, SpeedKind::kLength, SpeedKind::kAngle, SpeedKind::kAngle,
               SpeedKind::kAngle},
    .carried = {0, 0, 0, 0b111111, 0b111111, 0b111111},
    .axis = -1,
    .reversal = JointReversal::kInvertPoseAtRest,
};

}  // namespace kinloop::joints
