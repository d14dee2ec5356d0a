// Planar joint: translation (q0, q1, 0), then rotation q2 about z.
#include "core/joints/types.hpp"

namespace kinloop::joints {
namespace {

void evaluate_planar(const JointParameters& /*parameters*/, const double* q, const double* /*v*/,
                     JointMotion& out) noexcept {
  out.R = rotation_z(q[2]);
  out.p = Vec3(q[0], q[1], 0);
  out.Hw[0] = out.Hw[1] = out.Hv[2] = Vec3();
  out.Hv[0] = Vec3(1, 0, 0);
  out.Hv[1] = Vec3(0, 1, 0);
  out.Hw[2] = Vec3(0, 0, 1);
  out.bw = out.bv = Vec3();
}

void fit_planar(const JointParameters& /*parameters*/, const Mat3& R, const Vec3& p, double* q) noexcept {
  q[0] = p.x();
  q[1] = p.y();
  q[2] = angle_about_z(R);
}

}  // namespace

constinit const JointKind kPlanar{
    .type = JointType::kPlanar,
    .name = "planar",
    .nq = 3,
    .nv = 3,
    .evaluate = evaluate_planar,
    .fit = fit_planar,
    .rotation = JointRotation::kAboutZ,
    .speeds = {SpeedKind::kLength, SpeedKind::kLength, SpeedKind::kAngle},
    .carried = {0, 0, 0b11},
    .mark = JointMark::kPlate,
    .reversal = JointReversal::kInvertPoseAtRest,
};

}  // namespace kinloop::joints
