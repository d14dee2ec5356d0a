// Fixed joint: no freedom.
#include "core/joints/types.hpp"

namespace kinloop::joints {
namespace {

void evaluate(const JointParameters& /*parameters*/, const double* /*q*/, const double* /*v*/,
              JointMotion& out) noexcept {
  out.R = identity3();
  out.p = Vec3();
  out.bw = out.bv = Vec3();
}

void fit(const JointParameters& /*parameters*/, const Mat3& /*R*/, const Vec3& /*p*/, double* /*q*/) noexcept {}

}  // namespace

constinit const JointKind kFixed{JointType::kFixed, "fixed", 0, 0, -1, evaluate, fit};

}  // namespace kinloop::joints
