// Owns how linearisations and trimmed states are written for programs: one shape, whoever made it.
#pragma once

#include <string>

#include "core/analysis/linearize.hpp"
#include "core/analysis/trim.hpp"

namespace kinloop::cli {

/// With the eigenvalues of A; docs/linearization.md describes it.
std::string linear_json(const std::string& name, const Linearization& l);

/// State, commands and what is missing.
std::string trim_json(const std::string& name, const kinloop::Plant& plant, const Trim& found);

}  // namespace kinloop::cli
