// Owns the command line as a whole: which verbs there are, and what happens when one is misused.
#pragma once

#include <string>
#include <vector>

#include "services/console/console.hpp"

namespace kinloop::cli {

/// Runs one command; `arguments` without the name of the program. Returns an exit code, throws nothing.
int run_command_line(std::vector<std::string> arguments, const console::Console& console) noexcept;

}  // namespace kinloop::cli
