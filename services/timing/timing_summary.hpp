// Owns TimingSummary: what the timing of a run comes to, as plain data for texts, files and pictures.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "rt/loop/loop_status.hpp"
#include "rt/timing/timing_monitor.hpp"

namespace kinloop::timing {

/// How many durations lay from lower_ns to upper_ns, both included.
struct Bucket {
  std::int64_t lower_ns = 0, upper_ns = 0;
  std::uint64_t count = 0;
};

/// How the durations of one kind spread; all zero where there was none.
///
/// Smallest and largest are exact. Percentiles are known to a bucket, 1.6 % wide: its bad end is taken, so that none is
/// better than it was. For slack the small values are the bad ones, for all else the large ones.
struct Distribution {
  std::uint64_t count = 0;
  double mean_ns = 0.0;
  std::int64_t min_ns = 0, p50_ns = 0, max_ns = 0;
  std::array<std::int64_t, 3> tail_ns{};  // p99, p99.9, p99.99; of slack p1, p0.1, p0.01
  std::vector<Bucket> buckets;            // that are not empty, ascending
};

struct TimingSummary {
  std::int64_t period_ns = 0;  // 0: steps were not released by a clock, and had no deadline
  std::uint64_t steps = 0;
  Distribution wake_up;    // from the planned release until the thread was awake
  Distribution execution;  // all phases
  std::array<Distribution, rt::kPhases> phases;
  Distribution jitter;                // of the time between wake-ups against the period; empty without a period
  Distribution slack;                 // from the end to the deadline, 0 where late; empty without a period
  std::vector<rt::StepTiming> worst;  // longest from release to end first
  rt::LoopStatus status;

  bool has_deadlines() const noexcept { return period_ns > 0; }
  /// By how much a step missed its deadline; 0 where it did not.
  std::int64_t lateness_ns(const rt::StepTiming& step) const noexcept;
};

/// At any time, also while the loop runs, by any thread but the stepping one: it allocates. The period is 0 where no
/// clock releases the steps.
TimingSummary summarize(const rt::TimingMonitor& monitor, const rt::LoopStatus& status, std::int64_t period_ns);

}  // namespace kinloop::timing
