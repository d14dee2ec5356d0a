// Owns the reading of a time given on the command line.
#pragma once

#include <string>

#include "core/base/result.hpp"

namespace kinloop::cli {

/// "0.001" (seconds), "1 ms", "2 min", "1/500": a positive, finite time in seconds. Errors name the option.
Result<double> read_time(const std::string& option, const std::string& text);

}  // namespace kinloop::cli
