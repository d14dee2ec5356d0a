// Owns the call of libsdformat: silent, without network, without exceptions.
#pragma once

#include <memory>
#include <sdf/Root.hh>
#include <string>
#include <vector>

#include "core/base/result.hpp"

namespace kinloop {

/// Parses a file that check_sdf() has accepted; what libsdformat refuses nonetheless is reported in its own words.
/// Inertias that it thinks impossible are let through: mass_problem() judges them.
Result<std::unique_ptr<sdf::Root>, std::vector<Error>> parse_sdf(const std::string& file_name, const std::string& text);

}  // namespace kinloop
