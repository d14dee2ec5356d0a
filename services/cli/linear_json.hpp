// Owns how a linearisation is written for programs: one shape, whoever made it.
#pragma once

#include <string>

#include "core/analysis/linearize.hpp"

namespace kinloop::cli {

/// With the eigenvalues of A; docs/linearization.md describes it.
std::string linear_json(const std::string& name, const Linearization& l);

}  // namespace kinloop::cli
