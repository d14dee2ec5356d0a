// Owns the logarithm of unit quaternions: from a rotation to its rotation vector.
#pragma once

#include <cmath>

namespace kinloop {

/// A unit quaternion (w, a) with w >= 0 turns by this times a; `sine` is the length of a.
inline double rotation_per_axis(double sine, double w) noexcept {
  constexpr double kSmallSine = 0.1;  // of which the series of the arc sine has all digits
  if (sine > kSmallSine) return 2.0 * std::atan2(sine, w) / sine;
  const double x = sine * sine;
  double sum = 143.0 / 10240.0;
  for (const double c : {231.0 / 13312.0, 63.0 / 2816.0, 35.0 / 1152.0, 5.0 / 112.0, 3.0 / 40.0, 1.0 / 6.0, 1.0}) {
    sum = c + x * sum;
  }
  return 2.0 * sum;
}

}  // namespace kinloop
