// Owns Reaction: what a joint carries, and which components of it statics determine.
#pragma once

#include <array>

#include "core/spatial/spatial_vector.hpp"

namespace kinloop {

/// Total wrench that the predecessor exerts on the successor through a joint, what acts along its coordinates included,
/// at the origin of frame B, world axes.
struct Reaction {
  SpatialVector wrench;
  std::array<bool, 6> unique{true, true, true, true, true, true};  // force x, y, z, then moment x, y, z

  /// In the order of the flags.
  double component(int i) const noexcept { return i < 3 ? wrench.linear[i] : wrench.angular[i - 3]; }
};

}  // namespace kinloop
