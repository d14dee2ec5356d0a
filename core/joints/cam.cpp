// Cam joint, the knife-edge follower of 003 App. B: the point at angle q0 of the profile s(q0), then rotation q1 about
// z.
#include <cmath>

#include "core/joints/types.hpp"

namespace kinloop::joints {
namespace {

void evaluate_cam(const JointParameters& parameters, const double* q, const double* v, JointMotion& out) noexcept {
  const FunctionValue s = parameters.profile(q[0]);
  const double c = std::cos(q[0]);
  const double n = std::sin(q[0]);
  const Vec3 radial(c, n, 0.0);
  const Vec3 polar(-n, c, 0.0);
  out.R = rotation_z(q[1]);
  out.p = s.f * radial;
  out.Hw[0] = out.Hv[1] = Vec3();
  out.Hv[0] = s.d1 * radial + s.f * polar;
  out.Hw[1] = Vec3(0, 0, 1);
  out.bw = Vec3();
  out.bv = (v[0] * v[0]) * ((s.d2 - s.f) * radial + (2.0 * s.d1) * polar);
}

void fit_cam(const JointParameters& /*parameters*/, const Mat3& R, const Vec3& p, double* q) noexcept {
  q[0] = std::atan2(p.y(), p.x());
  q[1] = angle_about_z(R);
}

void cam_blocked(const JointMotion& joint, double length_m, SpatialVector* out) noexcept {
  // Square to the profile; at its centre, where it has no direction, along any axis.
  const Vec3 tangent = joint.Hv[0];
  const double size = std::sqrt(dot(tangent, tangent));
  constexpr double kNothing = 1e-10;
  const Vec3 normal =
      size > kNothing * length_m ? (1.0 / size) * Vec3(-tangent.y(), tangent.x(), 0.0) : Vec3(1.0, 0.0, 0.0);
  out[0] = {Vec3(1, 0, 0), Vec3()};
  out[1] = {Vec3(0, 1, 0), Vec3()};
  out[2] = {Vec3(), normal};
  out[3] = {Vec3(), Vec3(0, 0, 1)};
}

/// The third derivative of a profile is a difference of its second.
ColumnBend cam_bend(const JointParameters& parameters, const double* q) noexcept {
  const double c = std::cos(q[0]);
  const double n = std::sin(q[0]);
  const Vec3 radial(c, n, 0.0);
  const Vec3 polar(-n, c, 0.0);
  const FunctionValue s = parameters.profile(q[0]);
  const auto slope = [&](double h) {
    return (parameters.profile(q[0] + h).d2 - parameters.profile(q[0] - h).d2) / (2.0 * h);
  };
  constexpr double kStep = 1e-3;
  const double d3 = (4.0 * slope(0.5 * kStep) - slope(kStep)) / 3.0;
  return {(s.d2 - s.f) * radial + (2.0 * s.d1) * polar, (d3 - 3.0 * s.d1) * radial + (3.0 * s.d2 - s.f) * polar};
}

}  // namespace

constinit const JointKind kCam{
    .type = JointType::kCam,
    .name = "cam",
    .nq = 2,
    .nv = 2,
    .evaluate = evaluate_cam,
    .fit = fit_cam,
    .blocked = cam_blocked,
    .speeds = {SpeedKind::kAngle, SpeedKind::kAngle},
    .carried = {0, 0b1},
    .bend = cam_bend,
    .orthonormal = false,
    .mark = JointMark::kRoller,
};

}  // namespace kinloop::joints
