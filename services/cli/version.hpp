// Owns the verb `version`: what exactly this program was built from.
#pragma once

#include <string>

#include "services/cli/job.hpp"

namespace kinloop::cli {

/// "0.1.0".
std::string program_version();
/// Short; "unknown" where the build saw none.
std::string program_commit();

int print_version(Format format, const Console& console);
void add_version(CLI::App& app, Job& job);

}  // namespace kinloop::cli
