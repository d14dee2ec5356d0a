// Owns what the segments of recursive coordinate reduction share: the mechanism at one evaluation, and what they hand
// to each other. Both in one of two algebras: of space, or of the plane that the whole mechanism stays in (003).
#pragma once

#include <type_traits>

#include "core/base/at.hpp"
#include "core/base/indexed_vector.hpp"
#include "core/constraints/constraints.hpp"
#include "core/dynamics/planar_inertia.hpp"
#include "core/dynamics/rcr/rcr_rows.hpp"
#include "core/topology/segments.hpp"

namespace kinloop {

/// Inertias of bodies, and blocks that couple two of them.
template <class Algebra>
struct RcrInertias;
template <>
struct RcrInertias<SpatialAlgebra> {
  using Inertia = SpatialInertia;
  using Block = Matrix6;
};
template <>
struct RcrInertias<PlanarAlgebra> {
  using Inertia = PlanarInertia;
  using Block = Matrix3;
};

/// The mechanism at one evaluation, as all segments see it.
template <class Algebra>
struct BasicRcrMechanism {
  LoopGraph graph;
  RcrRows<Algebra> rows;
  SegmentPlan plan;
  BasicGraphMotion<Algebra> motion;
  IndexedVector<double> mass;  // per body
  double length_m;
  IndexedVector<char> gathers;  // per body: segments hand inertia to it, or a closing joint's own motion moves it

  /// `first`: see SegmentPlan.
  BasicRcrMechanism(const Model& model, SearchOrder search, Tails tails, const SegmentPlan* first = nullptr);

 private:
  /// The samples are needed for rows and plan only.
  BasicRcrMechanism(const Model& model, const LoopGraph& own, Tails tails, const SegmentPlan* first);
  BasicRcrMechanism(const Model& model, const LoopGraph& own, const IndexedVector<LoopSample>& samples, Tails tails,
                    const SegmentPlan* first);
};

/// How dependent unknowns were chosen, over all segments.
struct RcrBasis {
  int free = 0;            // unknowns that depend on no other; beyond the usual number, where that is known
  bool switched = false;   // some segment chose others than the time before
  double smallest = 1.0;   // pivot that was accepted
  double left = 0.0;       // the largest that a row without a dependent offers
  bool lost_rows = false;  // some rows have no dependent: redundant, or lost by a poor basis
};

/// Motions wanted of the loop constraints.
template <class Algebra>
struct RcrTarget {
  using Vector = typename Algebra::Vector;

  explicit RcrTarget(const Model& model) : own_(std::is_same_v<Vector, SpatialVector> ? 0 : model.loops().size()) {}

  /// `wanted` must stay as long as this is used.
  void take(const ConstraintTarget& wanted, const typename Algebra::View& view) noexcept {
    is_zero = wanted.is_zero;
    coupling = &wanted.coupling;
    if constexpr (std::is_same_v<Vector, SpatialVector>) {
      loop = wanted.loop.data();
    } else if (!is_zero) {
      for (int l = 0; l < own_.count(); ++l) own_[l] = view.of(wanted.loop[at(l)]);
      loop = own_.data();
    }
  }

  const Vector* loop = nullptr;  // as in ConstraintTarget, in this algebra; valid where not all is zero
  const VectorX* coupling = nullptr;
  bool is_zero = false;

 private:
  IndexedVector<Vector> own_;
};

/// What segments hand to each other.
template <class Algebra>
struct BasicRcrWorkspace {
  using Vector = typename Algebra::Vector;
  using Inertia = typename RcrInertias<Algebra>::Inertia;

  explicit BasicRcrWorkspace(const Model& model);

  /// Makes room for a segment of so many bodies, whose boundary bodies and unknowns make so many pairs.
  void fit(std::size_t bodies, std::size_t pairs);

  IndexedVector<Inertia> K;    // of bodies that gather: at x_b, with all that was eliminated beyond
  IndexedVector<Vector> F, A;  // at x_b
  IndexedVector<typename RcrInertias<Algebra>::Block> cross;  // rows at x of the body, columns at x of the ancestor
  VectorX u;                                                  // per slot
  bool is_refinement = false;  // forces are what an answer leaves over: what rows can carry is no part of the change

  // Of the segment that is being eliminated, at x_p: shared, so that it stays near the processor.
  IndexedVector<Inertia> composite;  // per body: it and all beyond it in the segment
  IndexedVector<Vector> B;           // per boundary and unknown: A^T B u in the energy
};

using RcrMechanism = BasicRcrMechanism<SpatialAlgebra>;

extern template struct BasicRcrMechanism<SpatialAlgebra>;
extern template struct BasicRcrMechanism<PlanarAlgebra>;
extern template struct BasicRcrWorkspace<SpatialAlgebra>;
extern template struct BasicRcrWorkspace<PlanarAlgebra>;

}  // namespace kinloop
