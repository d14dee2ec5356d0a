// Owns the verbs that run rigs: `run`, the plant's own process, and `replay`.
#pragma once

#include "services/cli/job.hpp"

namespace kinloop::cli {

void add_run(CLI::App& app, Job& job);
/// Not for people: what `run` spawns.
void add_plant(CLI::App& app, Job& job);
void add_io(CLI::App& app, Job& job);
void add_replay(CLI::App& app, Job& job);

}  // namespace kinloop::cli
