// One entry a joint type: in the order in which a joint's coordinates act, each carries the axes of those behind it.
#include "core/joints/column_slopes.hpp"

#include <cmath>

namespace kinloop {

std::array<unsigned char, 6> carried_columns(JointType type) noexcept {
  switch (type) {
    case JointType::kFixed:
    case JointType::kRevolute:
    case JointType::kPrismatic:
    case JointType::kScrew:
    case JointType::kCylindrical:
      return {};
    case JointType::kUniversal:
    case JointType::kPinSlot:
    case JointType::kCam:
      return {0, 0b1};
    case JointType::kSpherical:
      return {0b111, 0b111, 0b111};
    case JointType::kPlanar:
      return {0, 0, 0b11};
    case JointType::kFree:
      return {0, 0, 0, 0b111111, 0b111111, 0b111111};
  }
  return {};
}

bool bends(JointType type) noexcept { return type == JointType::kCam; }

ColumnBend column_bend(const JointParameters& parameters, const double* q) noexcept {
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

}  // namespace kinloop
