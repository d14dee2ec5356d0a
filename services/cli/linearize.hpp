// Owns the verb `linearize`: a rig or model around its initial state as matrices, for the design of controllers.
#pragma once

#include <string>
#include <vector>

#include "services/cli/job.hpp"
#include "services/files/load_model.hpp"

namespace kinloop::cli {

struct LinearizeOptions {
  std::string file;  // a rig, or a model
  std::string out;   // JSON; "-" is standard output, empty is none
  std::string method = "exact";
  std::string side = "either";
  std::vector<std::string> independent;  // none: chosen
  std::vector<std::string> parameters;   // to differentiate by
  // For models; rigs have their own.
  LoadOptions load;
  std::string dt = "1 ms";
  std::string integrator = "rk4";
};

int run_linearize(const LinearizeOptions& options, const console::Console& console);
void add_linearize(CLI::App& app, Job& job);

}  // namespace kinloop::cli
