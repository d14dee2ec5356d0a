// Owns the CSV of a simulated motion: one row a sample, numbers that read back exactly.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

#include "services/cli/simulation.hpp"

namespace kinloop::cli {

/// Columns: t, q.<joint>..., u.<joint>..., kinetic_J, potential_J; with loops closure_error, closure_rate (rad or
/// lengths of the mechanism); drive.<joint>... for driven joints. SI units; joints of several coordinates count them
/// from 0. Whether writing worked is the stream's state.
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
