// Owns what the segments of recursive coordinate reduction share: the mechanism at one evaluation, and what they hand
// to each other.
#pragma once

#include "core/dynamics/articulated.hpp"
#include "core/loops/segments.hpp"

namespace kinloop {

/// The mechanism at one evaluation, as all segments see it.
struct RcrMechanism {
  LoopGraph graph;
  std::vector<LoopSample> samples;
  ClosingRows rows;
  SegmentPlan plan;
  GraphMotion motion;
  std::vector<double> armature;  // per slot
  double length_m;

  explicit RcrMechanism(const Model& model);
};

/// What segments hand to each other.
struct RcrBodies {
  RcrBodies(const Model& model, const RcrMechanism& mechanism);

  std::vector<SpatialInertia> K;  // at x_b, with all that was eliminated beyond
  std::vector<Pair> F, A;         // at x_b
  std::vector<Matrix6> cross;     // rows at x of the body, columns at x of the ancestor
  VectorX u;                      // per slot
};

}  // namespace kinloop
