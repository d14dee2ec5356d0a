// Owns the verb `check`: what a model is, and what will cause trouble.
#pragma once

#include <string>
#include <vector>

#include "services/cli/job.hpp"
#include "services/files/load_model.hpp"

namespace kinloop::cli {

struct CheckOptions {
  std::string file;
  LoadOptions load;
  std::string dt = "1 ms";          // the step that stiff springs are judged against
  std::string integrator = "auto";  // with which
  bool assemble = false;            // look for a state near the initial one that closes all loops
  std::vector<std::string> held;    // joints that keep their coordinates then
  console::Format format = console::Format::kText;
};

int run_check(const CheckOptions& options, const console::Console& console);
void add_check(CLI::App& app, Job& job);

}  // namespace kinloop::cli
