// Cylindrical joint: rotation q0 about z and translation q1 along it.
#include "core/joints/types.hpp"

namespace kinloop::joints {
namespace {

void evaluate_cylindrical(const JointParameters& /*parameters*/, const double* q, const double* /*v*/,
                          JointMotion& out) noexcept {
  out.R = rotation_z(q[0]);
  out.p = Vec3(0, 0, q[1]);
  out.Hw[0] = Vec3(0, 0, 1);
  out.Hv[0] = Vec3();
  out.Hw[1] = Vec3();
  out.Hv[1] = Vec3(0, 0, 1);
  out.bw = out.bv = Vec3();
}

void fit_cylindrical(const JointParameters& /*parameters*/, const Mat3& R, const Vec3& p, double* q) noexcept {
  q[0] = angle_about_z(R);
  q[1] = p.z();
}

}  // namespace

constinit const JointKind kCylindrical{
    .type = JointType::kCylindrical,
    .name = "cylindrical",
    .nq = 2,
    .nv = 2,
    .evaluate = evaluate_cylindrical,
    .fit = fit_cylindrical,
    .rotation = JointRotation::kAboutZ,
    .speeds = {SpeedKind::kAngle, SpeedKind::kLength},
    .slides_along = 2,
    .mark = JointMark::kRoundSlider,
    .reversal = JointReversal::kHalfTurn,
};

}  // namespace kinloop::joints
