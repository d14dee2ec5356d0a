// Prismatic joint: translation q along z.
#include "core/joints/types.hpp"

namespace kinloop::joints {
namespace {

void evaluate_prismatic(const JointParameters& /*parameters*/, const double* q, const double* /*v*/,
                        JointMotion& out) noexcept {
  out.R = identity3();
  out.p = Vec3(0, 0, q[0]);
  out.Hw[0] = Vec3();
  out.Hv[0] = Vec3(0, 0, 1);
  out.bw = out.bv = Vec3();
}

void fit_prismatic(const JointParameters& /*parameters*/, const Mat3& /*R*/, const Vec3& p, double* q) noexcept {
  q[0] = p.z();
}

}  // namespace

constinit const JointKind kPrismatic{
    .type = JointType::kPrismatic,
    .name = "prismatic",
    .nq = 1,
    .nv = 1,
    .evaluate = evaluate_prismatic,
    .fit = fit_prismatic,
    .rotation = JointRotation::kNone,
    .speeds = {SpeedKind::kLength},
    .planar = PlanarRole::kSlide,
    .slides_along = 2,
    .mark = JointMark::kSlider,
    .reversal = JointReversal::kHalfTurn,
};

}  // namespace kinloop::joints
