// Owns the verb `doctor`: how fit this host is for a real-time loop, and what would make it fitter.
#pragma once

#include "services/cli/job.hpp"
#include "services/host/findings.hpp"

namespace kinloop::cli {

/// kRefused where something is bad.
int print_findings(const host::HostFacts& facts, console::Format format, const console::Console& console);
void add_doctor(CLI::App& app, Job& job);

}  // namespace kinloop::cli
