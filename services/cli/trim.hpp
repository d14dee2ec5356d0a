// Owns the verb `trim`: where a rig stands still, or moves on steadily, under what is given.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/base/result.hpp"
#include "services/cli/job.hpp"

namespace kinloop::cli {

struct TrimOptions {
  std::string file;           // a rig
  std::string out;            // JSON; "-" is standard output, empty is none
  std::string rig, snapshot;  // to write; empty: none
  // NAME=NUMBER, SI units.
  std::vector<std::string> coordinates, speeds, commands;
  bool hold = false;
};

/// "NAME=NUMBER" in SI units; errors name the option.
Result<std::vector<std::pair<std::string, double>>> given_numbers(const char* option,
                                                                  const std::vector<std::string>& texts);

int run_trim(const TrimOptions& options, const console::Console& console);
void add_trim(CLI::App& app, Job& job);

}  // namespace kinloop::cli
