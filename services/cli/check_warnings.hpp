// Owns the warnings of `check`: what is no error but will cause trouble.
#pragma once

#include <vector>

#include "core/integrators/fastest_motion.hpp"
#include "services/cli/check_report.hpp"

namespace kinloop::cli {

/// `where` names a body, joint or loop; the warnings of the loader are not among them. Nor are those of steps
/// (core/integrators/step_limits.hpp).
std::vector<Error> find_warnings(const Model& model, const CheckReport& report, const FastestMotion& fastest);

}  // namespace kinloop::cli
