// Owns the logarithm of unit quaternions: from a rotation to its rotation vector.
#pragma once

#include <cmath>

namespace kinloop {

/// A unit quaternion (w, a) with w >= 0 turns by this times a. `sine` is the length of a; below `least_sine` it counts
/// as the half angle itself.
inline double rotation_per_axis(double sine, double w, double least_sine) noexcept {
  return sine < least_sine ? 2.0 : 2.0 * std::atan2(sine, w) / sine;
}

}  // namespace kinloop
