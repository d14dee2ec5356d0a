// Owns DofTree: the unknown speeds in tree order, with their parents. Joint-space matrices are built along it.
#pragma once

#include "core/base/indexed_vector.hpp"
#include "core/model/model.hpp"

namespace kinloop {

/// Every speed that is not driven is a node; a joint of d is d in a row, parents first (docs/theory/conventions.md §2).
struct DofTree {
  explicit DofTree(const Model& model);

  int size() const noexcept { return static_cast<int>(speed.size()); }

  IndexedVector<int> speed;   // node -> index into v
  IndexedVector<int> body;    // node -> the body it moves
  IndexedVector<int> parent;  // node -> the next node towards the ground, or -1
  IndexedVector<int> last;    // body -> the last node on its path from the ground, or -1
};

}  // namespace kinloop
