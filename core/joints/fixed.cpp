// Fixed joint: no dof.
#include "core/joints/types.hpp"

namespace kinloop::joints {
namespace {

void evaluate_fixed(const JointParameters& /*parameters*/, const double* /*q*/, const double* /*v*/,
                    JointMotion& out) noexcept {
  out.R = identity3();
  out.p = Vec3();
  out.bw = out.bv = Vec3();
}

void fit_fixed(const JointParameters& /*parameters*/, const Mat3& /*R*/, const Vec3& /*p*/, double* /*q*/) noexcept {}

}  // namespace

constinit const JointKind kFixed{
    .type = JointType::kFixed,
    .name = "fixed",
    .nq = 0,
    .nv = 0,
    .evaluate = evaluate_fixed,
    .fit = fit_fixed,
    .rotation = JointRotation::kNone,
    .planar = PlanarRole::kRigid,
    .holds_point = true,
    .axis = -1,
    .mark = JointMark::kBlock,
    .reversal = JointReversal::kExchange,
};

}  // namespace kinloop::joints
