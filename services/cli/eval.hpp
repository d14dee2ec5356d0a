// Owns the verb `eval`: formulations against the values of an independent solver.
#pragma once

#include <string>
#include <vector>

#include "services/cli/job.hpp"

namespace kinloop::cli {

struct EvalOptions {
  std::vector<std::string> files;
  std::string dynamics = "all";
  double tolerance = 1e-8;
  console::Format format = console::Format::kText;
};

int run_eval(const EvalOptions& options, const console::Console& console);
void add_eval(CLI::App& app, Job& job);

}  // namespace kinloop::cli
