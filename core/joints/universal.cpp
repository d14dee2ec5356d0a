// Universal joint: rotation q0 about x, then q1 about the turned y.
#include <cmath>

#include "core/joints/types.hpp"

namespace kinloop::joints {
namespace {

void evaluate_universal(const JointParameters& /*parameters*/, const double* q, const double* v,
                        JointMotion& out) noexcept {
  const double ca = std::cos(q[0]);
  const double sa = std::sin(q[0]);
  const double cb = std::cos(q[1]);
  const double sb = std::sin(q[1]);
  const Vec3 y(0.0, ca, sa);   // Rx(q0) y
  const Vec3 z(0.0, -sa, ca);  // Rx(q0) z
  out.R = Mat3(Vec3(cb, 0, 0) - sb * z, y, Vec3(sb, 0, 0) + cb * z);
  out.p = Vec3();
  out.Hw[0] = Vec3(1, 0, 0);
  out.Hw[1] = y;
  out.Hv[0] = out.Hv[1] = Vec3();
  out.bw = v[0] * v[1] * z;  // v0 v1 x * (Rx(q0) y)
  out.bv = Vec3();
}

void fit_universal(const JointParameters& /*parameters*/, const Mat3& R, const Vec3& /*p*/, double* q) noexcept {
  q[0] = std::atan2(R(2, 1), R(1, 1));
  q[1] = std::atan2(R(0, 2), R(0, 0));
}

void universal_blocked(const JointMotion& joint, double /*length_m*/, SpatialVector* out) noexcept {
  out[0] = {cross(joint.Hw[0], joint.Hw[1]), Vec3()};  // square to both axes, which stand square to each other
  out[1] = {Vec3(), Vec3(1, 0, 0)};
  out[2] = {Vec3(), Vec3(0, 1, 0)};
  out[3] = {Vec3(), Vec3(0, 0, 1)};
}

}  // namespace

constinit const JointKind kUniversal{
    .type = JointType::kUniversal,
    .name = "universal",
    .nq = 2,
    .nv = 2,
    .evaluate = evaluate_universal,
    .fit = fit_universal,
    .blocked = universal_blocked,
    .rotation = JointRotation::kTwoAxes,
    .speeds = {SpeedKind::kAngle, SpeedKind::kAngle},
    .carried = {0, 0b1},
    .holds_point = true,
    .axis = 0,
    .mark = JointMark::kCrossedRing,
    .reversal = JointReversal::kSwapAxes,
};

}  // namespace kinloop::joints
