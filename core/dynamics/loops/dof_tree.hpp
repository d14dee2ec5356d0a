// Owns DofTree: the unknown speeds in tree order, with their parents. Joint-space matrices are built along it.
#pragma once

#include <vector>

#include "core/model/model.hpp"

namespace kinloop {

/// Every speed that is not driven is a node; a joint of d is d in a row, parents first (docs/theory/conventions.md §2).
struct DofTree {
  explicit DofTree(const Model& model);

  int size() const noexcept { return static_cast<int>(speed.size()); }

  std::vector<int> speed;   // node -> index into v
  std::vector<int> body;    // node -> the body it moves
  std::vector<int> parent;  // node -> the next node towards the ground, or -1
  std::vector<int> last;    // body -> the last node on its path from the ground, or -1
};

}  // namespace kinloop
