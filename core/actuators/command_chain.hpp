// Owns CommandChain: what turns a command into the effective command of an actuator.
//
// In this order: limits, rate limit, delay, first-order lag. All that it remembers lies in the State.
#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "core/math/delay_line.hpp"

namespace kinloop {

struct CommandChainSettings {
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  double rate_per_s = std::numeric_limits<double>::infinity();  // of change
  double delay_s = 0.0;
  double lag_s = 0.0;  // time constant; 0: none
};

/// Its doubles of the State.
struct CommandChainState {
  static constexpr int kHeld = 2;  // before the delay's values
  explicit CommandChainState(std::span<double> state) noexcept
      : limited(state[0]), lagged(state[1]), delayed(state.data() + kHeld) {}

  double& limited;  // behind the rate limit
  double& lagged;   // behind the lag
  double* delayed;  // values of the delay line
};

class CommandChain {
 public:
  /// Settings make sense: the loader of rigs sees to it.
  CommandChain(const CommandChainSettings& settings, double dt_s) noexcept;

  /// Doubles of the State that belong to it.
  int state_size() const noexcept { return CommandChainState::kHeld + delay_.size(); }

  /// What later steps depend on, by its place among these doubles: the value behind the rate limit, the delay's values
  /// from the newest (1) to the oldest, the value behind the lag. Settings that do nothing remember nothing.
  bool limits_rate() const noexcept { return max_change_ < std::numeric_limits<double>::infinity(); }
  int delay_depth() const noexcept { return delay_.depth(); }
  bool lags() const noexcept { return share_ < 1.0; }
  static constexpr int rate_place() noexcept { return 0; }
  int delay_place(std::uint64_t step, int age) const noexcept {
    return CommandChainState::kHeld + delay_.place(step, age);
  }
  static constexpr int lag_place() noexcept { return 1; }

  /// At rest at this value.
  void start(double value, std::span<double> state) const noexcept;

  /// Once in every step, from step 0 on: the effective command during it. No allocation.
  double pass(std::uint64_t step, double command, std::span<double> state) const noexcept;

  /// How pass() answers small changes, by the branch that it takes from this state.
  struct Slopes {
    double limited_by_command, limited_by_limited;  // behind limits and rate limit
    double lagged_by_delayed, lagged_by_lagged;     // behind the lag
  };
  Slopes slopes(double command, std::span<const double> state) const noexcept;
  const DelayLine& delay() const noexcept { return delay_; }

  /// The place of a double from outside that no command within the limits leads to, but for rounding; -1: there is
  /// none.
  int flaw_in(std::span<const double> state) const noexcept;

 private:
  CommandChainSettings settings_;
  double max_change_;  // in a step
  double share_;       // of the way that the lag goes in a step
  DelayLine delay_;
};

}  // namespace kinloop
