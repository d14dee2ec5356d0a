// Owns OutputSlopes: how the true signals at the end of a step answer the state there, and commands at once.
//
// By exact derivatives, but sensors of reactions: these by differences of their own, at states whose loops are closed.
#pragma once

#include <string>
#include <vector>

#include "core/analysis/signal_slopes.hpp"
#include "core/analysis/state_chart.hpp"

namespace kinloop {

class OutputSlopes {
 public:
  /// The plant must outlive it. `independent` marks speeds, as those of all charts that are given later.
  OutputSlopes(Plant& plant, const std::vector<char>& independent);

  /// C and D at `end`, for x in the chart of `base`. `force_per_command`: of each actuator, where a sensor shows it at
  /// once. Not empty: why it cannot, in words that follow "because of". For analysis: it allocates.
  std::string update(const State& base, const State& end, StateChart& chart, const VectorX& force_per_command,
                     MatrixX& C, MatrixX& D);

  /// Whether some of the rows are differences.
  bool has_differences() const noexcept { return !reactions_.empty(); }

 private:
  bool place_changes(const State& base, const State& end, Eigen::Index columns);
  std::string differentiate_reactions(const State& end, StateChart& chart, const VectorX& force_per_command, MatrixX& C,
                                      MatrixX& D);
  VectorX reactions(const State& state);

  Plant& plant_;
  const Model& model_;
  SignalSlopes signals_;
  StateChanges changes_;
  std::vector<Eigen::Index> reactions_;  // sensors
};

}  // namespace kinloop
