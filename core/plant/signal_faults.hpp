// Owns SignalFaults: faults and overrides of all sensors and actuators. All that they remember lies in the State.
#pragma once

#include <span>

#include "core/plant/step_change.hpp"
#include "core/sensors/sensor.hpp"

namespace kinloop {

class SignalFaults {
 public:
  /// A few delays up to the longest one can be active at the same time.
  static constexpr int kDelays = 2;

  SignalFaults(std::size_t signals, double longest_delay_s, double dt_s, std::uint64_t seed) noexcept;

  /// Doubles of the State that belong to it; all zero: no faults.
  int state_size() const noexcept;
  std::size_t signals() const noexcept { return signals_; }

  /// Whether it makes sense and there is room for it, from this step on.
  bool can_apply(const StepChange& change, std::uint64_t step, const double* memory) const noexcept;
  /// From this step on; can_apply() said yes. Kinds kFault, kOverride and kClear. No allocation.
  void apply(const StepChange& change, std::uint64_t step, double* memory) const noexcept;

  /// What is left of a signal in a step. `tick` counts the calls for this signal without gaps. No allocation.
  Reading pass(std::size_t signal, std::uint64_t step, std::uint64_t tick, const Reading& healthy,
               double* memory) const noexcept;

  /// Whether memory from outside, all of it finite, can be that of faults. No allocation.
  bool accepts(const double* memory) const noexcept;

  /// kNone where it is healthy.
  SignalFault active(std::size_t signal, std::uint64_t step, const double* memory) const noexcept;
  bool is_overridden(std::size_t signal, std::uint64_t step, const double* memory) const noexcept;

 private:
  int delay_steps(double delay_s) const noexcept;
  double* line(int i, double* memory) const noexcept;
  int free_line(std::uint32_t signal, std::uint64_t step, const double* memory) const noexcept;
  Reading faulted(std::size_t signal, std::uint64_t step, std::uint64_t tick, const Reading& healthy, double* slot,
                  double* memory) const noexcept;

  std::size_t signals_;
  double dt_s_;
  std::uint64_t seed_;
  int line_size_;  // the owner, then the values
};

}  // namespace kinloop
