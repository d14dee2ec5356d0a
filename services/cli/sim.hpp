// Owns the verb `sim`: an offline simulation from the command line.
#pragma once

#include <string>

#include "core/integrators/constraint_projection.hpp"
#include "services/cli/job.hpp"
#include "services/files/load_model.hpp"

namespace kinloop::cli {

struct SimOptions {
  std::string file;
  LoadOptions load;
  std::string duration = "10 s";
  std::string dt = "1 ms";
  std::string dynamics = "auto";
  std::string integrator = "auto";
  std::string stabilization = "projection";
  double loop_tolerance = Stabilization{}.tolerance;
  int loop_iterations = Stabilization{}.max_iterations;
  bool assemble = false;
  std::string out;        // CSV; "-" is standard output, empty is none
  std::string reactions;  // CSV of joint reactions, empty is none
  long long every = 1;
};

int run_sim(const SimOptions& options, const console::Console& console);
void add_sim(CLI::App& app, Job& job);

}  // namespace kinloop::cli
