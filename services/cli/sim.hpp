// Owns the verb `sim`: an offline simulation from the command line.
#pragma once

#include <string>

#include "services/cli/job.hpp"
#include "services/import/imported_model.hpp"

namespace kinloop::cli {

struct SimOptions {
  std::string file;
  ImportOptions import;  // how URDF and SDF are read
  std::string duration = "10 s";
  std::string dt = "1 ms";
  std::string dynamics = "auto";
  std::string integrator = "rk4";
  std::string out;  // CSV; "-" is standard output, empty is none
  long long every = 1;
};

int run_sim(const SimOptions& options, const Console& console);
void add_sim(CLI::App& app, Job& job);

}  // namespace kinloop::cli
