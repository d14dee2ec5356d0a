// Owns the components of a mechanism: loops that share bodies, directly or through others, and every body on no loop.
//
// A component hangs on one body, whatever the tree that a search grew (it is a block of the graph of joints, or a
// joint that is no part of a loop), so the others see nothing of how it is solved: each may be solved in its own way.
#pragma once

#include <memory>
#include <vector>

#include "core/base/indexed_vector.hpp"
#include "core/dynamics/rcr/rcr_segment.hpp"

namespace kinloop {

/// A coordinate of the file's tree whose joint closes a loop in a plan.
struct RcrAcross {
  std::size_t closing = 0;
  int tip = 0, base = 0;
  int slot = 0, speed = 0;
};

/// One way to solve a component: its part of a plan.
template <class Algebra>
struct BasicRcrWay {
  BasicRcrMechanism<Algebra>* plan = nullptr;
  IndexedVector<std::unique_ptr<SegmentElimination<Algebra>>> segments;  // leaves first
  IndexedVector<RcrAcross> across;
  IndexedVector<int> blocks;  // of RcrWorkspace::cross
  bool delays_rows = false;   // then what it chose is known after it was solved
  int usual_dofs = 0;         // of the whole mechanism at nearly all closed positions: of the first component, or 0
};

template <class Algebra>
struct BasicRcrComponent {
  using Way = BasicRcrWay<Algebra>;

  IndexedVector<int> bodies;
  IndexedVector<Way> ways;  // the cheapest first
  std::size_t used = 0;
  RcrBasis basis;

  Way& way() noexcept { return ways[used]; }
  const Way& way() const noexcept { return ways[used]; }
};

/// The segments of the first plan in the order of elimination, by component.
template <class Algebra>
struct RcrComponents {
  /// Sizes the workspace for them.
  RcrComponents(const Model& model, BasicRcrWorkspace<Algebra>& all);

  IndexedVector<std::unique_ptr<BasicRcrMechanism<Algebra>>> plans;
  IndexedVector<BasicRcrComponent<Algebra>> components;
  IndexedVector<std::size_t> order;  // component of each segment of the first plan
  std::size_t max_ways = 1;
  int usual_rank = -1;  // of loops and of couplings that are rows of segments, driven joints held; -1: not known
};

using RcrWay = BasicRcrWay<SpatialAlgebra>;
using RcrComponent = BasicRcrComponent<SpatialAlgebra>;

extern template struct RcrComponents<SpatialAlgebra>;
extern template struct RcrComponents<PlanarAlgebra>;

}  // namespace kinloop
