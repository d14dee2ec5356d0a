// Owns TimingMonitor: how well the loop keeps its times, step by step.
//
// The stepping thread records, wait-free; others look at it, from any process that shares the memory.
#pragma once

#include <array>
#include <string_view>

#include "rt/timing/histogram.hpp"

namespace kinloop::rt {

/// What a tick does, in this order.
enum class Phase { kCommand, kSolve, kProject, kSense, kPublish };
inline constexpr std::size_t kPhases = 5;

std::string_view name_of(Phase phase) noexcept;

/// One step as it happened. Nanoseconds.
struct StepTiming {
  std::int64_t step = 0;
  std::int64_t due_ns = 0;    // the release that was planned
  std::int64_t start_ns = 0;  // when the thread was awake
  std::array<std::int64_t, kPhases> phase_ns{};

  std::int64_t latency_ns() const noexcept { return start_ns - due_ns; }
  std::int64_t execution_ns() const noexcept {
    std::int64_t sum = 0;
    for (const std::int64_t phase : phase_ns) sum += phase;
    return sum;
  }
  /// From its release to its end.
  std::int64_t response_ns() const noexcept { return latency_ns() + execution_ns(); }
};

/// The steps with the longest response, worst first.
class WorstSteps {
 public:
  static constexpr std::size_t kKept = 8;
  using List = std::array<StepTiming, kKept>;

  /// By the stepping thread.
  void offer(const StepTiming& timing) noexcept;
  /// By any thread: how many there are, and those; tries again while the list is being changed, up to a bound, and then
  /// says that there are none.
  std::size_t copy_to(List& out) const noexcept;

 private:
  // A sequence lock: odd while the list is being changed. The words are atomic, so that a reader that comes in between
  // reads old or new ones, never torn, and is told by the sequence.
  static constexpr std::size_t kWords = 3 + kPhases;
  using Words = std::array<std::atomic<std::int64_t>, kWords>;
  static void store(const StepTiming& timing, Words& words) noexcept;
  static StepTiming load(const Words& words) noexcept;

  std::atomic<std::uint32_t> sequence_{0};
  std::atomic<std::uint32_t> count_{0};
  std::array<Words, kKept> list_{};
  std::int64_t least_ns_ = INT64_MIN;  // the stepping thread's: below it nothing is kept
};

class TimingMonitor {
 public:
  /// By the stepping thread, at the end of each step.
  void record(const StepTiming& timing, std::int64_t period_ns) noexcept;
  /// The next step follows a pause: the time since the last one says nothing.
  void interrupt() noexcept { has_last_ = false; }

  const Histogram& latency() const noexcept { return latency_; }      // wake-up after the release
  const Histogram& execution() const noexcept { return execution_; }  // all phases
  const Histogram& slack() const noexcept { return slack_; }          // left of the period at the end; 0 where late
  const Histogram& jitter() const noexcept { return jitter_; }        // of the time between wake-ups against the period
  const Histogram& phase(Phase phase) const noexcept { return phases_[static_cast<std::size_t>(phase)]; }
  const WorstSteps& worst() const noexcept { return worst_; }

 private:
  Histogram latency_, execution_, slack_, jitter_;
  std::array<Histogram, kPhases> phases_;
  WorstSteps worst_;
  std::int64_t last_start_ns_ = 0;
  bool has_last_ = false;
};

}  // namespace kinloop::rt
