// Owns random planar loops for tests: any joints in any order, cut anywhere, anywhere in space.
#pragma once

#include <string>

#include "tests/support/linkages.hpp"

namespace kinloop::mechanisms {

struct PlanarLoopOptions {
  /// One letter per joint, going round from the base: R turns, P slides, S is a pin in a slot.
  std::string joints = "RRRR";
  int cut = 0;                  // the joint that closes the loop
  bool moving_base = false;     // the base is the second of two links of a skew chain, else the ground
  double scale_m = 1.0;         // of all distances
  double tilt_rad = 0.0;        // the axis of joint 1 leaves the plane by this
  bool on_fixed_parts = false;  // joints sit on bodies that are fixed to the links
};

/// Closed in the initial state, at coordinates that are not zero. Joints are named "0", "1", ... in the order of the
/// letters, but stand in the file in any order.
ModelSpec planar_loop(std::uint64_t seed, const PlanarLoopOptions& options = {});

}  // namespace kinloop::mechanisms
