// Spherical joint: unit quaternion; speeds are the components of the relative angular velocity in B.
#include "core/joints/types.hpp"

namespace kinloop::joints {
namespace {

void evaluate_spherical(const JointParameters& /*parameters*/, const double* q, const double* /*v*/,
                        JointMotion& out) noexcept {
  out.R = rotation_from_quaternion(q);
  out.p = Vec3();
  for (std::size_t i = 0; i < 3; ++i) {
    out.Hw[i] = out.R.c[i];
    out.Hv[i] = Vec3();
  }
  out.bw = out.bv = Vec3();  // d(R u)/dt = R udot + R (u x u)
}

void fit_spherical(const JointParameters& /*parameters*/, const Mat3& R, const Vec3& /*p*/, double* q) noexcept {
  quaternion_from_rotation(R, q);
}

}  // namespace

constinit const JointKind kSpherical{
    .type = JointType::kSpherical,
    .name = "spherical",
    .nq = 4,
    .nv = 3,
    .quaternion = 0,
    .evaluate = evaluate_spherical,
    .fit = fit_spherical,
    .speeds = {SpeedKind::kAngle, SpeedKind::kAngle, SpeedKind::kAngle},
    .carried = {0b111, 0b111, 0b111},
    .holds_point = true,
    .axis = -1,
    .mark = JointMark::kBall,
    .reversal = JointReversal::kInvertPose,
};

}  // namespace kinloop::joints
