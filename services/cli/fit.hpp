// Owns the verb `fit`: numbers of a mechanism from a record, by least squares.
#pragma once

#include <string>
#include <vector>

#include "services/cli/job.hpp"

namespace kinloop::cli {

struct FitOptions {
  std::string record;
  std::vector<std::string> parameters;  // "mass.boom", "friction.*"
  std::string rig;                      // to fit instead of the recorded one; empty: that one
  std::string duration;                 // of the record's beginning; empty: all
  std::string out;                      // JSON; "-" is standard output, empty is none
  std::string plot;                     // picture of the residuals; empty: none
};

int run_fit(const FitOptions& options, const console::Console& console);
void add_fit(CLI::App& app, Job& job);

}  // namespace kinloop::cli
