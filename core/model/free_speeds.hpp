// Owns the list of speeds that are unknown: all that no motion prescribes.
#pragma once

#include <vector>

#include "core/model/model.hpp"

namespace kinloop {

/// In order. Model::driven_speeds() are the others.
std::vector<int> free_speeds(const Model& model);

}  // namespace kinloop
