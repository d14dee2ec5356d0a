// Owns the CSV of a simulated motion: one row a sample, numbers that read back exactly.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

#include "services/cli/simulation.hpp"

namespace kinloop::cli {

/// The columns are those of services/files/motion_columns.hpp. Whether writing worked is the stream's state.
class MotionCsv {
 public:
  MotionCsv(const Model& model, std::ostream& out);

  void write_header();
  void write(const Sample& sample);

 private:
  const Model& model_;
  std::ostream& out_;
  std::string line_;
};

/// A name as a CSV cell: quoted if it holds a comma, a quote or a line break.
std::string csv_cell(std::string_view text);

}  // namespace kinloop::cli
