// Owns PhaseTimer: divides the time of a tick among its phases.
#pragma once

#include "core/integrators/constraint_projection.hpp"
#include "rt/timing/clock.hpp"
#include "rt/timing/timing_monitor.hpp"

namespace kinloop::rt {

/// A phase may come several times: closing loops interrupts solving once in every sub-step.
class PhaseTimer final : public ClosingWatch {
 public:
  explicit PhaseTimer(const Clock& clock) noexcept : clock_(clock) {}

  void begin(std::int64_t step, std::int64_t due_ns) noexcept {
    timing_ = {};
    timing_.step = step;
    timing_.due_ns = due_ns;
    timing_.start_ns = last_ns_ = clock_.now_ns();
  }
  void end(Phase phase) noexcept {
    const std::int64_t now_ns = clock_.now_ns();
    timing_.phase_ns[static_cast<std::size_t>(phase)] += now_ns - last_ns_;
    last_ns_ = now_ns;
  }
  void closing_begins() noexcept override { end(Phase::kSolve); }
  void closing_ends() noexcept override { end(Phase::kProject); }

  const StepTiming& timing() const noexcept { return timing_; }
  /// When the last phase ended.
  std::int64_t last_ns() const noexcept { return last_ns_; }

 private:
  const Clock& clock_;
  StepTiming timing_;
  std::int64_t last_ns_ = 0;
};

}  // namespace kinloop::rt
