// Owns mechanisms with stiff elements that a seed draws: nothing in them gives energy.
#pragma once

#include <cstdint>

#include "tests/support/mechanisms.hpp"

namespace kinloop::mechanisms {

struct StiffOptions {
  int max_bodies = 6;
  bool loops = false;
  bool far_elements = true;  // springs, bushings, ropes between any bodies; else between neighbours only
  bool floats = false;       // on a hull that is free to move, and may spin at up to 100 rad/s
  bool touches = false;      // with shapes above a floor, which may be inclined
};

/// A random tree or linkage with springs, dampers, friction and stops of 1e2 to 1e12 (N/m, N s/m, N and per rad) along
/// its joints and between bodies, all of them without load at the start; bodies move. The same bits for the same
/// arguments.
ModelSpec stiff_mechanism(std::uint64_t seed, const StiffOptions& options = {});

}  // namespace kinloop::mechanisms
