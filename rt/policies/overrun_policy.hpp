// Owns OverrunPolicy: when each step is due, and what happens after one that ended too late.
//
// Step k is due at its release and must end before the release of step k + 1. dt never changes; what may change is how
// far the plant's time lies behind the clock's, and how much work a step is given.
//
//   slip      the next step starts at once, all later releases move by what was lost; the plant stays behind for good
//   catch_up  releases stay where they are; late steps follow each other without a pause until the plant is back in
//   time.
//             Behind by more than max_behind steps, the rest is given up as with skip
//   skip      releases that have passed are left out; the plant stays behind by whole periods, in phase with the clock
//   degrade   catch_up, and each late step makes the next ones cheaper by one level; after recover_after steps in time
//             one level is taken back
//   stop      the first late step is the last; in the grace as skip
//
// For one step that takes 3.4 periods, tests/rt/overrun_policy_test.cpp lists what follows under each.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/base/name_table.hpp"

namespace kinloop::rt {

enum class OverrunKind { kSlip, kCatchUp, kSkip, kDegrade, kStop };

/// "slip", "catch_up", "skip", "degrade", "stop".
std::string_view name_of(OverrunKind kind) noexcept;
std::span<const KindName<OverrunKind>> overrun_names() noexcept;

struct OverrunSettings {
  OverrunKind kind = OverrunKind::kSkip;
  std::int64_t max_behind = 10;      // steps that catch_up and degrade make up for
  int levels = 1;                    // of work, 0 is the full one; degrade wants at least two
  std::int64_t recover_after = 100;  // steps in time before degrade goes up a level
  std::int64_t grace_steps = 0;      // at the start: misses are counted, but reach no limit and lower no level
  std::int64_t max_consecutive = 0;  // misses; one more ends the run; 0: no limit
  std::int64_t max_in_window = 0;    // the same within the last window_steps steps
  std::int64_t window_steps = 1000;  // at most OverrunPolicy::kLongestWindow
};

struct OverrunCounters {
  std::int64_t steps = 0;
  std::int64_t misses = 0;  // steps that ended too late, those of the grace included
  std::int64_t misses_in_grace = 0;
  std::int64_t longest_run = 0;       // of misses one after the other
  std::int64_t skipped_releases = 0;  // for which no step was made
  std::int64_t slipped_ns = 0;        // by which releases were moved
  std::int64_t level_changes = 0;
};

enum class OverrunVerdict { kInTime, kMissed, kLimitReached };

class OverrunPolicy {
 public:
  static constexpr std::int64_t kLongestWindow = 65536;

  OverrunPolicy(const OverrunSettings& settings, std::int64_t period_ns, std::int64_t first_release_ns) noexcept;

  /// When the next step is due; the past where it is late already.
  std::int64_t release_ns() const noexcept { return release_ns_; }
  /// How much work the next step is given: 0 is all of it.
  int level() const noexcept { return level_; }
  const OverrunCounters& counters() const noexcept { return counters_; }

  /// After a pause: the next step is due then, and nothing was missed meanwhile.
  void restart_at(std::int64_t release_ns) noexcept { release_ns_ = release_ns; }

  /// The step that was due at release_ns() has ended. No allocation, no loop but over whole words of the window.
  OverrunVerdict finish(std::int64_t end_ns) noexcept;

 private:
  void plan_next(std::int64_t end_ns, bool missed) noexcept;
  void change_level(bool missed) noexcept;
  bool limit_reached(bool missed) noexcept;

  OverrunSettings settings_;
  std::int64_t period_ns_;
  std::int64_t release_ns_;
  int level_ = 0;
  std::int64_t in_time_ = 0;      // steps one after the other, for degrade
  std::int64_t consecutive_ = 0;  // misses one after the other, after the grace
  std::int64_t in_window_ = 0;
  std::array<std::uint64_t, kLongestWindow / 64> missed_{};  // one bit a step of the window
  OverrunCounters counters_;
};

}  // namespace kinloop::rt
