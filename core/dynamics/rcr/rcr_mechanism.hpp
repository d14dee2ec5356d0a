// Owns what the segments of recursive coordinate reduction share: the mechanism at one evaluation, and what they hand
// to each other.
#pragma once

#include "core/base/indexed_vector.hpp"
#include "core/dynamics/articulated_inertia.hpp"
#include "core/topology/segments.hpp"

namespace kinloop {

/// The mechanism at one evaluation, as all segments see it.
struct RcrMechanism {
  LoopGraph graph;
  ReducedLoopRows rows;
  SegmentPlan plan;
  GraphMotion motion;
  IndexedVector<double> mass;  // per body
  double length_m;
  IndexedVector<char> gathers;  // per body: segments hand inertia to it, or a closing joint's own motion moves it

  RcrMechanism(const Model& model, SearchOrder search, Tails tails);

 private:
  /// The samples are needed for rows and plan only.
  RcrMechanism(const Model& model, const LoopGraph& own, Tails tails);
  RcrMechanism(const Model& model, const LoopGraph& own, const IndexedVector<LoopSample>& samples, Tails tails);
};

/// How dependent unknowns were chosen, over all segments.
struct RcrBasis {
  int free = 0;            // unknowns that depend on no other; beyond the usual number, where that is known
  bool switched = false;   // some segment chose others than the time before
  double smallest = 1.0;   // pivot that was accepted
  double left = 0.0;       // the largest that a row without a dependent offers
  bool lost_rows = false;  // some rows have no dependent: redundant, or lost by a poor basis
};

/// What segments hand to each other.
struct RcrWorkspace {
  explicit RcrWorkspace(const Model& model);

  /// Makes room for a segment of so many bodies, whose boundary bodies and unknowns make so many pairs.
  void fit(std::size_t bodies, std::size_t pairs);

  IndexedVector<SpatialInertia> K;    // of bodies that gather: at x_b, with all that was eliminated beyond
  IndexedVector<SpatialVector> F, A;  // at x_b
  IndexedVector<Matrix6> cross;       // rows at x of the body, columns at x of the ancestor
  VectorX u;                          // per slot

  // Of the segment that is being eliminated, at x_p: shared, so that it stays near the processor.
  IndexedVector<SpatialInertia> composite;  // per body: it and all beyond it in the segment
  IndexedVector<SpatialVector> B;           // per boundary and unknown: A^T B u in the energy
};

}  // namespace kinloop
