// Owns the verb `top`: a running plant on the terminal.
#pragma once

#include "services/cli/job.hpp"

namespace kinloop::cli {

void add_top(CLI::App& app, Job& job);

}  // namespace kinloop::cli
