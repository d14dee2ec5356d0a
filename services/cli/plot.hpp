// Owns the verb `plot`: pictures of motions and mechanisms.
#pragma once

#include <string>
#include <vector>

#include "services/cli/job.hpp"
#include "services/files/load_model.hpp"

namespace kinloop::cli {

struct PlotOptions {
  std::string file;  // CSV of `sim`; "-" is standard input
  std::string out;   // .svg or .png
  std::string model;
  LoadOptions load;
  std::string columns;  // empty: all coordinates
  std::string phase;    // "x,y", or empty
  std::vector<std::string> paths;
  int strobe = 0;  // instants, 0: none asked for
  bool figure = false;
  std::string view;  // empty: chosen
  std::string title;
  std::string size;  // "WIDTHxHEIGHT", or empty
};

int run_plot(const PlotOptions& options, const console::Console& console);
void add_plot(CLI::App& app, Job& job);

}  // namespace kinloop::cli
