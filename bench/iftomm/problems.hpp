// Owns the list of the five IFToMM benchmark problems.
#pragma once

#include <string>
#include <vector>

#include "bench/iftomm/problem.hpp"

namespace kinloop::bench {

/// Those whose names contain `filter`; computing the references takes some seconds.
std::vector<Problem> iftomm_problems(const std::string& filter);

}  // namespace kinloop::bench
