// Owns the names of the branches that exact derivatives take where a step has a kink.
#pragma once

#include <string>
#include <vector>

#include "core/plant/plant.hpp"

namespace kinloop {

/// One line for each limit, valve, end stop, contact or rope that stands right on the edge between two branches: which
/// of them the matrices belong to.
std::vector<std::string> branch_warnings(Plant& plant, const State& state, const StepInput& input);

}  // namespace kinloop
