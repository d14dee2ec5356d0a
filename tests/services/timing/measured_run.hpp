// Owns runs with known times for the tests of reports.
#pragma once

#include <memory>

#include "services/timing/timing_summary.hpp"

namespace kinloop::timing {

inline constexpr std::int64_t kPeriod_ns = 1'000'000;

/// A run under the clock. Each step has the phases command 1 us, project 3 us, sense 4 us, publish 5 us, and a solve of
/// its own.
class MeasuredRun {
 public:
  void step(std::int64_t latency_ns, std::int64_t solve_ns) {
    ++status.overrun.steps;
    status.step = static_cast<std::uint64_t>(status.overrun.steps);
    const std::int64_t due_ns = status.overrun.steps * kPeriod_ns;
    const rt::StepTiming timing{status.overrun.steps, due_ns, due_ns + latency_ns, {1000, solve_ns, 3000, 4000, 5000}};
    if (timing.response_ns() > kPeriod_ns) ++status.overrun.misses;
    monitor->record(timing, kPeriod_ns);
  }
  void steps(int count, std::int64_t latency_ns, std::int64_t solve_ns) {
    for (int i = 0; i < count; ++i) step(latency_ns, solve_ns);
  }

  TimingSummary summary() const { return summarize(*monitor, status, kPeriod_ns); }

  std::unique_ptr<rt::TimingMonitor> monitor = std::make_unique<rt::TimingMonitor>();  // large
  rt::LoopStatus status;
};

/// 10000 steps: wake-up after 2 us and solve for 87 us, but a hundred that solve for 187 us, ten of them awake after
/// 50 us only, and one that ends 312 us before its deadline.
inline MeasuredRun run_in_time() {
  MeasuredRun run;
  run.steps(9900, 2000, 87'000);
  run.steps(90, 2000, 187'000);
  run.steps(9, 50'000, 187'000);
  run.step(60'000, 615'000);
  return run;
}

/// 1000 steps, three of them late, the worst by 88 us.
inline MeasuredRun run_with_misses() {
  MeasuredRun run;
  run.steps(500, 2000, 87'000);
  run.steps(2, 2000, 1'000'000);
  run.steps(497, 2000, 87'000);
  run.step(75'000, 1'000'000);
  run.status.overrun.longest_run = 2;
  run.status.overrun.skipped_releases = 3;
  return run;
}

}  // namespace kinloop::timing
