// Owns trim: where a plant stands still, or moves on steadily, under given coordinates, speeds and commands.
//
// Sought are coordinates and commands that nobody gives and all that actuators remember, so that a step of the plant
// changes neither speeds nor memory; by Newton's method with the exact derivatives of the step. Loops stay closed. For
// analysis: it allocates.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/plant/plant.hpp"

namespace kinloop {

struct TrimSettings {
  /// Coordinates that stay where they are given, by the names of their speeds ("boom"); as many as there are dofs
  /// at most. All that are not named may move.
  std::vector<std::pair<std::string, double>> coordinates;
  /// Independent speeds, by the same names; those that are not named are zero. A speed that is given makes its
  /// coordinate independent.
  std::vector<std::pair<std::string, double>> speeds;
  /// Commands that are given, by actuator; the others are sought.
  std::vector<std::pair<std::string, double>> commands;
  bool holds_coordinates = false;  // all independent coordinates stay where the start has them
  int max_iterations = 60;
  const std::atomic<bool>* cancelled = nullptr;  // looked at in every iteration
  std::atomic<std::uint64_t>* pulse = nullptr;   // counted up in each
};

struct Trim {
  State state;
  StepInput input;
  int iterations = 0;
  bool is_reached = false;
  /// The largest change of a speed in a second, in rad/s^2 or lengths of the mechanism, and of memory against its size.
  double residual = 0.0;
  /// Where it is not reached: what still changes, and whether anything that is sought moves it; or what is steady for
  /// an instant only, at speeds that lead away from where forces balance.
  std::vector<std::string> missing;
};

/// From a start, which is not changed. Errors: unknown names, numbers that are not finite, a mechanism without
/// dofs, a singular position.
Result<Trim> trim(Plant& plant, const State& start, const StepInput& input, const TrimSettings& settings);

}  // namespace kinloop
