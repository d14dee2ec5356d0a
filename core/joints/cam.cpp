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

}  // namespace

constinit const JointKind kCam{JointType::kCam, "cam", 2, 2, -1, evaluate_cam, fit_cam};

}  // namespace kinloop::joints
