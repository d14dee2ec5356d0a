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

constinit const JointKind kPrismatic{JointType::kPrismatic, "prismatic", 1, 1, -1, evaluate_prismatic, fit_prismatic};

}  // namespace kinloop::joints
