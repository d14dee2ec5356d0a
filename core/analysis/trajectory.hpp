// Owns linearisations along a roll-out, and the gradient of a quadratic cost by one backward sweep over them.
//
//   dx[k+1] = A[k] dx[k] + B[k] du[k],   dy[k] = C[k] dx[k+1] + D[k] du[k]
//
// x as StateChart has it, at each point in a chart of its own: rotation vectors count from the orientation there, so
// that the matrices follow each other exactly. y are the true signals after each command. For analysis: it allocates.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "core/plant/plant.hpp"

namespace kinloop {

struct TrajectoryPlan {
  StepInput input;                       // level and all else but the commands
  std::vector<double> commands;          // row by row: a command for each actuator
  std::size_t rows = 0;                  // of a plant without actuators; else those of the commands
  int steps_per_command = 1;             // for which each is held
  std::vector<std::string> independent;  // none: chosen at the start, and kept
  const std::atomic<bool>* cancelled = nullptr;
  std::atomic<std::uint64_t>* pulse = nullptr;  // counted up with every command
};

struct Trajectory {
  std::vector<std::string> states;  // names
  std::vector<int> independents;    // speeds
  std::vector<VectorX> x;           // before each command, and after the last
  std::vector<MatrixX> A, B;        // of each command, over all steps for which it is held
  std::vector<VectorX> y;           // after each command
  std::vector<MatrixX> C, D;
  std::vector<std::string> warnings;  // branches: "command 3: motor: ..."
  State end;
  bool complete = false;                // it went well to the end; else all lists stop where a step failed
  StepStatus status = StepStatus::kOk;  // of the last step
};

/// From a start, which is not changed. Errors: a plan that is not one for this plant, independent coordinates that are
/// none, steps that cannot be differentiated, which say why.
Result<Trajectory> linearize_trajectory(Plant& plant, const State& start, const TrajectoryPlan& plan);

/// Half the weighted sum of squares of y - target after each command, of the commands minus theirs, and once more of
/// the last y. Weights are empty (none) or one for each sensor or actuator; targets empty (zero), one of each, or as
/// many rows as there are commands.
struct QuadraticCost {
  std::vector<double> output_weights, output_targets, end_weights;
  std::vector<double> command_weights, command_targets;
};

struct CostGradient {
  double cost = 0.0;
  std::vector<double> by_commands;  // row by row
  VectorX by_start;                 // by x before the first command
};

/// Of the sizes that they must have: an error names the list.
Result<bool> check_cost(const QuadraticCost& cost, std::size_t sensors, std::size_t actuators, std::size_t rows);

/// Of a complete trajectory under these commands; the cost passes check_cost().
CostGradient cost_gradient(const Trajectory& way, const std::vector<double>& commands, const QuadraticCost& cost);

}  // namespace kinloop
