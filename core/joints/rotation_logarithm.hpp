// Owns the logarithm of unit quaternions: from a rotation to its rotation vector.
#pragma once

#include <cmath>

namespace kinloop {

/// A unit quaternion (w, a) with w >= 0 turns by this times a; `sine` is the length of a.
inline double rotation_per_axis(double sine, double w) noexcept {
  constexpr double kSmallSine = 1e-9;  // below it sine and half angle are the same number
  return sine < kSmallSine ? 2.0 : 2.0 * std::atan2(sine, w) / sine;
}

}  // namespace kinloop
