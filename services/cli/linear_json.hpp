// Owns how linearisations, fits and trimmed states are written for programs: one shape, whoever made it.
#pragma once

#include <string>

#include "core/analysis/identification.hpp"
#include "core/analysis/linearize.hpp"
#include "core/analysis/trim.hpp"

namespace kinloop::cli {

/// With the eigenvalues of A; docs/linearization.md describes it.
std::string linear_json(const std::string& name, const Linearization& l);

/// Values, deviations, correlation and residuals.
std::string fit_json(const std::string& name, const Identification& found);

/// State, commands and what is missing.
std::string trim_json(const std::string& name, const kinloop::Plant& plant, const Trim& found);

}  // namespace kinloop::cli
