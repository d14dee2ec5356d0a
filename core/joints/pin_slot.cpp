// Pin-slot joint, the point-to-line joint of 003 App. B: translation q0 along x, then rotation q1 about z.
#include "core/joints/types.hpp"

namespace kinloop::joints {
namespace {

void evaluate_pin_slot(const JointParameters& /*parameters*/, const double* q, const double* /*v*/,
                       JointMotion& out) noexcept {
  out.R = rotation_z(q[1]);
  out.p = Vec3(q[0], 0, 0);
  out.Hw[0] = out.Hv[1] = Vec3();
  out.Hv[0] = Vec3(1, 0, 0);
  out.Hw[1] = Vec3(0, 0, 1);
  out.bw = out.bv = Vec3();
}

void fit_pin_slot(const JointParameters& /*parameters*/, const Mat3& R, const Vec3& p, double* q) noexcept {
  q[0] = p.x();
  q[1] = angle_about_z(R);
}

}  // namespace

constinit const JointKind kPinSlot{
    .type = JointType::kPinSlot,
    .name = "pin_slot",
    .nq = 2,
    .nv = 2,
    .evaluate = evaluate_pin_slot,
    .fit = fit_pin_slot,
    .rotation = JointRotation::kAboutZ,
    .speeds = {SpeedKind::kLength, SpeedKind::kAngle},
    .carried = {0, 0b1},
    .planar = PlanarRole::kSlideAndTurn,
    .slides_along = 0,
    .mark = JointMark::kSlot,
};

}  // namespace kinloop::joints
