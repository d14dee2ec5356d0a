// Owns positions at which a mechanism is looked at to learn what holds nearly everywhere.
//
// One position may be singular. A rank, a size or a zero that is found at several taken at random is that of nearly
// all: what a mechanism of joints does is an analytic function of its coordinates.
#pragma once

#include <vector>

#include "core/model/model.hpp"

namespace kinloop {

/// Around the initial position, every coordinate moved; loops are torn open. The same for the same model.
std::vector<VectorX> sample_positions(const Model& model);

/// How large each row of the constraints gets there, as |C_ri| for speeds of size 1 (speed_size()); 0 for rows that
/// hold nothing. Next to its size a row that is small says how near a singular position is.
VectorX typical_row_sizes(const Model& model);

}  // namespace kinloop
