// Owns the verb `trim`: where a rig stands still, or moves on steadily, under what is given.
#pragma once

#include <string>
#include <vector>

#include "services/cli/job.hpp"

namespace kinloop::cli {

struct TrimOptions {
  std::string file;  // a rig
  std::string out;   // JSON; "-" is standard output, empty is none
  // NAME=NUMBER, SI units.
  std::vector<std::string> coordinates, speeds, commands;
  bool hold = false;
};

int run_trim(const TrimOptions& options, const console::Console& console);
void add_trim(CLI::App& app, Job& job);

}  // namespace kinloop::cli
