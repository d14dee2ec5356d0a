// Owns the verb `keygen`: keys for plants that are reached over a network.
#pragma once

#include <string>

#include "services/cli/job.hpp"

namespace kinloop::cli {

struct KeygenOptions {
  std::string name;
  std::string folder = ".";
  std::string role = "observer";  // or "server"
  bool is_for_panel = false;      // a token for the page rather than keys
};

int run_keygen(const KeygenOptions& options, const console::Console& console);
void add_keygen(CLI::App& app, Job& job);

}  // namespace kinloop::cli
