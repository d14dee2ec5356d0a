// Owns SegmentElimination: one segment of recursive coordinate reduction, 000 §3-5, with the memory it needs.
//
//   paper                    here
//   phantom coordinates      gone with the rows they move; with armature the last unknowns (reduced_loop_rows.hpp)
//   tail p ... n, dependents u; CompletePivotSolve picks the dependents by pivoting: rank is found
//   Y, z, H                  u_D = T u_I + sum_e E_e A_e + eps over the boundary bodies e: parent and bases
//   K_pp, K_p0, K_00         RcrWorkspace::K, and ::cross between a body and an open base (docs/theory/rcr.md §4, §5)
//
// A segment, here the tail of one loop, two bodies long:
//
//     ground ... base ......... parent p          boundary bodies: e = 1 the base, e = 0 the parent. Left of the
//                  :               | u_0          segment is a quadratic form in their accelerations A_1, A_0
//                  :              top             place 0 of Segment::bodies
//                  :               | u_1
//                  +~ closing ~~~ tip             place 1. The closing joint's rows: S u + X_0 A_0 + X_1 A_1 + s = 0
//                                  |
//                          what hangs on it       was eliminated before: its inertia is in K and F of these bodies
//
// Rows make some of the unknowns u dependent on the others and on A (segment_rows.hpp), the inertia of the others is
// eliminated (segment_matrices.hpp), forces go inward and accelerations outward (segment_vectors.hpp), all of it over
// the numbers in segment_memory.hpp.
//
// A segment is at most a few bodies, so it is assembled in joint space at the point x_p of its parent, as in 003 §4,
// instead of body by body. Where the top hangs on the ground, x_p stands for the top's own point: the ground's origin
// may lie kilometres away.
#pragma once

#include <memory>

#include "core/dynamics/rcr/rcr_mechanism.hpp"

namespace kinloop {

template <class Algebra>
class SegmentElimination {
 public:
  using Mechanism = BasicRcrMechanism<Algebra>;
  using Shared = BasicRcrWorkspace<Algebra>;

  SegmentElimination() = default;
  SegmentElimination(const SegmentElimination&) = delete;
  SegmentElimination& operator=(const SegmentElimination&) = delete;
  virtual ~SegmentElimination() = default;

  /// Columns and closing conditions.
  virtual void prepare(const Mechanism& mechanism) noexcept = 0;
  /// Dependents among the unknowns; no pivot counts below the tolerance.
  virtual void choose(double tolerance) noexcept = 0;
  /// As many as the last time, and the same ones while they are fit.
  virtual void hold(const Mechanism& mechanism) noexcept = 0;
  /// Adds its basis to that of others; after choose(), of segments that delay rows after factorize().
  virtual void watch(RcrBasis& basis) noexcept = 0;

  /// Takes the segment's inertia out and adds what it leaves to its boundary bodies. False if a free unknown moves no
  /// inertia.
  virtual bool factorize(const typename Algebra::View& view, Shared& bodies) noexcept = 0;

  /// The same for forces, tau per speed and the motions wanted of the loop constraints; after factorize().
  virtual void inward(const Mechanism& mechanism, const RcrTarget<Algebra>& wanted, const VectorX& tau,
                      Shared& bodies) noexcept = 0;
  /// Unknowns and accelerations from those of the boundary bodies; after inward().
  virtual void outward(Shared& bodies) noexcept = 0;
};

/// Rows of the closing conditions of a segment.
int row_count(const Segment& segment, const ReducedLoopRows& rows);

/// Sized for the segment: for usual sizes at compile time.
template <class Algebra>
std::unique_ptr<SegmentElimination<Algebra>> make_segment_elimination(const Segment& segment,
                                                                      const BasicRcrMechanism<Algebra>& mechanism);

}  // namespace kinloop
