// Owns the assembly of a mechanism: from coordinates that are about right to ones that close all loops.
#pragma once

#include <vector>

#include "core/constraints/constraints.hpp"

namespace kinloop {

/// How far one loop is from being closed.
struct LoopGap {
  double distance_m = 0.0;
  double angle_rad = 0.0;
};

struct Assembly {
  bool closed = false;
  VectorX q, v;               // the closed state, or the one that came nearest
  double error = 0.0;         // what is left: rad, distances in lengths of the mechanism
  double rate = 0.0;          // what is left of the velocities' errors, per second
  std::vector<LoopGap> gaps;  // per loop joint
  int iterations = 0;
};

/// Closes positions, then velocities, near the given ones. Speeds marked in `held` (one entry per speed) and driven
/// ones keep position and speed. Starts again from places around where the first attempt gets stuck. For start-up: it
/// allocates.
Assembly assemble(const Model& model, const VectorX& q, const VectorX& v, const std::vector<char>& held);

/// Gaps of all loops at a state; needs update_loop_constraints().
std::vector<LoopGap> loop_gaps(const Model& model, const Workspace& ws);

}  // namespace kinloop
