// Screw joint: rotation q about z with a translation pitch * q along it.
#include <cmath>

#include "core/joints/types.hpp"

namespace kinloop::joints {
namespace {

void evaluate_screw(const JointParameters& parameters, const double* q, const double* /*v*/,
                    JointMotion& out) noexcept {
  out.R = rotation_z(q[0]);
  out.p = Vec3(0, 0, parameters.pitch * q[0]);
  out.Hw[0] = Vec3(0, 0, 1);
  out.Hv[0] = Vec3(0, 0, parameters.pitch);
  out.bw = out.bv = Vec3();
}

void fit_screw(const JointParameters& parameters, const Mat3& R, const Vec3& p, double* q) noexcept {
  // The angle fixes q up to whole turns, the position counts the turns.
  constexpr double kTurn = 6.283185307179586;
  q[0] = angle_about_z(R);
  if (parameters.pitch != 0.0) q[0] += kTurn * __builtin_round((p.z() / parameters.pitch - q[0]) / kTurn);
}

void screw_blocked(const JointMotion& joint, double length_m, SpatialVector* out) noexcept {
  out[0] = {Vec3(1, 0, 0), Vec3()};
  out[1] = {Vec3(0, 1, 0), Vec3()};
  out[2] = {Vec3(), Vec3(1, 0, 0)};
  out[3] = {Vec3(), Vec3(0, 1, 0)};
  const double pitch = joint.Hv[0].z() / length_m;  // lengths per radian
  const double inverse = 1.0 / std::sqrt(1.0 + pitch * pitch);
  out[4] = {Vec3(0, 0, -pitch * inverse), Vec3(0, 0, inverse)};
}

}  // namespace

constinit const JointKind kScrew{
    .type = JointType::kScrew,
    .name = "screw",
    .nq = 1,
    .nv = 1,
    .evaluate = evaluate_screw,
    .fit = fit_screw,
    .blocked = screw_blocked,
    .speeds = {SpeedKind::kAngle},
    .orthonormal = false,
    .slides_along = 2,
    .mark = JointMark::kThreadedSlider,
    .reversal = JointReversal::kHalfTurn,
};

}  // namespace kinloop::joints
