// Owns the verb `version`: what exactly this program was built from.
#pragma once

#include "services/cli/job.hpp"

namespace kinloop::cli {

int print_version(console::Format format, const console::Console& console);
void add_version(CLI::App& app, Job& job);

}  // namespace kinloop::cli
