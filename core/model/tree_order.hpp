// Owns the order of the spanning tree: parents before children.
#pragma once

#include <vector>

#include "core/base/result.hpp"
#include "core/model/model_spec.hpp"

// Both need names that check_given() and check_names() have nothing against.
namespace kinloop {

/// Bodies with two inboard joints or none, and cycles among parents.
void check_tree(const ModelSpec& spec, std::vector<Error>& errors);

/// The joints of the file, parents before children, otherwise in the order of the file. Needs a checked tree.
std::vector<int> tree_order(const ModelSpec& spec);

}  // namespace kinloop
