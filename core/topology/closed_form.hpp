// Owns the closing conditions in closed form, q_D = g(q_I) of paper 001 (27), for planar loops of four dofs.
//
// Loops are taken one after the other: each has one coordinate that is given or was found by another loop, and the
// other three follow from a dyad. What this cannot do (other loops, dead centres) it leaves as it is, for the
// projection.
#pragma once

#include "core/base/indexed_vector.hpp"
#include "core/topology/planar_loops.hpp"

namespace kinloop {

enum class LoopPlacement {
  kPlaced,
  kUndetermined,  // none of its coordinates is known, or more than one: they would have to agree
  kApart,         // it cannot be closed with the coordinate that is known
  kFlat,          // a dead centre, or near one
};

class ClosedForm {
 public:
  explicit ClosedForm(const Model& model);

  const PlanarLoops& planar() const noexcept { return planar_; }

  /// Moves the coordinates of planar loops to where those `given` (one mark per speed) want them. Branches are those of
  /// q, angles change by the shorter way. Returns what became of each of planar().loops. No allocation.
  const IndexedVector<LoopPlacement>& place(const IndexedVector<char>& given, VectorX& q) noexcept;

 private:
  void measure_closings(const PlanarLoop& loop) noexcept;
  LoopPlacement solve(const PlanarLoop& loop) noexcept;
  void mark_known(int variable) noexcept;

  PlanarLoops planar_;
  IndexedVector<IndexedVector<int>> loops_of_;  // per variable
  IndexedVector<double> value_;                 // per variable
  IndexedVector<char> known_;                   // per variable
  IndexedVector<int> known_count_;              // per loop
  IndexedVector<int> ready_;                    // loops with one known coordinate
  IndexedVector<LoopPlacement> placements_;
};

}  // namespace kinloop
