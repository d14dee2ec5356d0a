// Owns the warnings of `check`: what is no error but will cause trouble.
#pragma once

#include <vector>

#include "core/analysis/fastest_motion.hpp"
#include "services/cli/check_report.hpp"

namespace kinloop::cli {

/// `where` names a body, joint or loop; the warnings of the loader are not among them.
std::vector<Error> find_warnings(const Model& model, const CheckReport& report, const FastestMotion& fastest,
                                 double dt_s);

/// Linearises the model at its initial state.
FastestMotion fastest_at_start(const Model& model);

}  // namespace kinloop::cli
