// Owns the logarithm of rotations: from a unit quaternion or a matrix to the rotation vector.
#pragma once

#include <array>
#include <cmath>

#include "core/joints/joint.hpp"
#include "core/spatial/vec3.hpp"

namespace kinloop {

/// Of a unit quaternion with w >= 0: no more than half a turn.
inline Vec3 rotation_vector(double w, const Vec3& xyz) noexcept {
  const double sine = std::sqrt(dot(xyz, xyz));
  constexpr double kSmallSine = 0.1;  // of which the series of the arc sine has all digits
  if (sine > kSmallSine) return (2.0 * std::atan2(sine, w) / sine) * xyz;
  const double x = sine * sine;
  double sum = 143.0 / 10240.0;
  for (const double c : {231.0 / 13312.0, 63.0 / 2816.0, 35.0 / 1152.0, 5.0 / 112.0, 3.0 / 40.0, 1.0 / 6.0, 1.0}) {
    sum = c + x * sum;
  }
  return (2.0 * sum) * xyz;
}

inline Vec3 rotation_vector(const Mat3& R) noexcept {
  std::array<double, 4> quaternion{};
  quaternion_from_rotation(R, quaternion.data());
  return rotation_vector(quaternion[0], load3(quaternion.data() + 1));
}

}  // namespace kinloop
