// Owns roll-outs: what a plant would do, under sequences of commands from one state. For analysis: it allocates.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "core/batch/crew.hpp"
#include "core/plant/plant.hpp"

namespace kinloop {

struct RolloutResult {
  std::vector<double> outputs;  // row by row: the true signals of all sensors after each command
  State end;                    // after the last step that was done
  bool complete = false;        // it went well to the end; else outputs stop where a step failed, or at cancellation
  StepStatus status = StepStatus::kOk;  // of the last step
};

/// How the plant is stepped.
enum class RolloutPath {
  kLanes,   // sequences beside each other in SIMD lanes (core/batch), where that is possible
  kSingle,  // one state at a time, with the bits of Plant::step()
};

/// What became of the wish for lanes.
struct RolloutReport {
  std::string single_because;  // why lanes did not treat the plant; empty: they did
  long long steps = 0;
  long long steps_alone = 0;  // of them those that the single path did for single states
};

struct RolloutPlan {
  StepInput input;                               // level and all else but the commands
  std::vector<std::vector<double>> sequences;    // row by row: a command for each actuator
  int steps_per_command = 1;                     // for which each is held
  const std::atomic<bool>* cancelled = nullptr;  // looked at every few steps
  std::atomic<std::uint64_t>* pulse = nullptr;   // counted up with every look, for who wants to know that it goes on
  RolloutPath path = RolloutPath::kLanes;
  Crew* crew = nullptr;             // by whom; null: by the caller alone. Results do not depend on it
  RolloutReport* report = nullptr;  // written where it is wanted
};

/// Every sequence from the same start, which is not changed. Sensors are not read, so their own memory in the end
/// states is that of the start. Fewer results than sequences: it was cancelled, and the last of them is not complete.
/// An error where a sequence is not one for this plant.
Result<std::vector<RolloutResult>> rollout(Plant& plant, const State& start, const RolloutPlan& plan);

/// How far open loops may be in a motion that is given from outside: rad, or lengths of the mechanism; velocities the
/// same per second, relative to 1 and the largest speed. What is open by less is closed.
inline constexpr double kMaxOpenGiven = 1e-4;

/// A state with these coordinates and speeds, all else (time, actuators) as in `like`, without history. Quaternions are
/// brought to unit length. Errors: sizes, numbers that are not finite, driven coordinates that are not where they must
/// be at that time, loops that are open; they say by how much.
Result<State> state_from_motion(const Plant& plant, const State& like, const VectorX& q, const VectorX& v);

}  // namespace kinloop
