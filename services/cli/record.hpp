// Owns the verb `record`: a record of a plant that runs, until Ctrl-C.
#pragma once

#include "services/cli/job.hpp"

namespace kinloop::cli {

void add_record(CLI::App& app, Job& job);

}  // namespace kinloop::cli
