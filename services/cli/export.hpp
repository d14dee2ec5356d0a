// Owns the verb `export`: records of runs as tables, and what is in them.
#pragma once

#include <string>

#include "services/cli/job.hpp"

namespace kinloop::cli {

struct ExportOptions {
  std::string file;
  bool csv = false;
  bool info = false;
  std::string out = "-";  // of the CSV; "-": standard output
  std::string unpack;     // folder for the attachments, or empty
};

int run_export(const ExportOptions& options, const console::Console& console);
void add_export(CLI::App& app, Job& job);

}  // namespace kinloop::cli
