// Revolute joint: rotation q about z.
#include "core/joints/types.hpp"

namespace kinloop::joints {
namespace {

void evaluate_revolute(const JointParameters& /*parameters*/, const double* q, const double* /*v*/,
                       JointMotion& out) noexcept {
  out.R = rotation_z(q[0]);
  out.p = Vec3();
  out.Hw[0] = Vec3(0, 0, 1);
  out.Hv[0] = Vec3();
  out.bw = out.bv = Vec3();
}

void fit_revolute(const JointParameters& /*parameters*/, const Mat3& R, const Vec3& /*p*/, double* q) noexcept {
  q[0] = angle_about_z(R);
}

}  // namespace

constinit const JointKind kRevolute{
    .type = JointType::kRevolute,
    .name = "revolute",
    .nq = 1,
    .nv = 1,
    .evaluate = evaluate_revolute,
    .fit = fit_revolute,
    .rotation = JointRotation::kAboutZ,
    .speeds = {SpeedKind::kAngle},
    .planar = PlanarRole::kTurn,
    .holds_point = true,
    .mark = JointMark::kRing,
    .reversal = JointReversal::kHalfTurn,
};

}  // namespace kinloop::joints
