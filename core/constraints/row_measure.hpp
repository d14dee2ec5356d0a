// Owns RowMeasure: how the rows of the constraints are compared with each other when their rank is sought.
//
// Rows of one loop constraint are judged together, against the longest of them, in the loop's own length: a small
// linkage of a large machine is judged by its own size, and a row that passes through zero is small, not a direction
// made of rounding.
#pragma once

#include <vector>

#include "core/model/model.hpp"

namespace kinloop {

struct RowMeasure {
  explicit RowMeasure(const Model& model);

  std::vector<int> group;  // per row of constraint_matrix(): the first row of its loop joint; a coupling is its own
  VectorX scale;           // per row: brings it to size 1 in [w; v / l], l the loop's own length
};

/// What Model::loop_lengths_m() keeps. Per closing joint: the farthest joint from the closing point among those next to
/// it around the loop, as many as can span all directions. The rest of a long loop may lead through others, whose size
/// says nothing about this one.
std::vector<double> find_loop_lengths_m(const Model& model);

}  // namespace kinloop
