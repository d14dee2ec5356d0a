// Owns the CSV of joint reactions along a simulated motion.
#pragma once

#include <iosfwd>

#include "core/analysis/reactions.hpp"

namespace kinloop::cli {

/// Columns: t, then <joint>.fx .fy .fz .mx .my .mz for every joint, loop joints last: the wrench that the predecessor
/// exerts on the successor at the origin of frame B, world axes. A component that redundant constraints leave
/// indeterminate is an empty cell.
class ReactionsCsv {
 public:
  ReactionsCsv(const Model& model, std::ostream& out) : model_(model), out_(out) {}

  void write_header();
  void write(double time_s, const Reactions& reactions);

 private:
  const Model& model_;
  std::ostream& out_;
};

}  // namespace kinloop::cli
