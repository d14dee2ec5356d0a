// Owns what verbs do with a text that was asked for: into a file, or "-" for standard output.
#pragma once

#include <string>
#include <string_view>

#include "services/console/console.hpp"

namespace kinloop::cli {

/// Says what it wrote, or what went wrong. Returns the exit code.
int write_out(const std::string& out, std::string_view text, const console::Console& console);

}  // namespace kinloop::cli
