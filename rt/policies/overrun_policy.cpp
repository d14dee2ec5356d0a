// Plans releases and counts misses.
#include "rt/policies/overrun_policy.hpp"

#include <algorithm>

namespace kinloop::rt {
namespace {

constexpr NameTable kOverrunNames("overrun policy", std::array{KindName{OverrunKind::kSlip, "slip"},
                                                               KindName{OverrunKind::kCatchUp, "catch_up"},
                                                               KindName{OverrunKind::kSkip, "skip"},
                                                               KindName{OverrunKind::kDegrade, "degrade"},
                                                               KindName{OverrunKind::kStop, "stop"}});

}  // namespace

std::string_view name_of(OverrunKind kind) noexcept { return kOverrunNames.name_of(kind); }
std::span<const KindName<OverrunKind>> overrun_names() noexcept { return kOverrunNames.entries(); }

OverrunPolicy::OverrunPolicy(const OverrunSettings& settings, std::int64_t period_ns,
                             std::int64_t first_release_ns) noexcept
    : settings_(settings), period_ns_(period_ns), release_ns_(first_release_ns) {
  require(period_ns > 0, "the period is positive");
  require(settings.window_steps > 0 && settings.window_steps <= kLongestWindow, "the window has a bound");
  require(settings.levels >= 1, "there is a level to work at");
}

OverrunVerdict OverrunPolicy::finish(std::int64_t end_ns) noexcept {
  const bool missed = end_ns > release_ns_ + period_ns_;
  const bool in_grace = counters_.steps < settings_.grace_steps;
  ++counters_.steps;
  if (missed) {
    ++counters_.misses;
    if (in_grace) ++counters_.misses_in_grace;
  }
  if (!in_grace && limit_reached(missed)) return OverrunVerdict::kLimitReached;
  plan_next(end_ns, missed);
  if (!in_grace) change_level(missed);
  return missed ? OverrunVerdict::kMissed : OverrunVerdict::kInTime;
}

void OverrunPolicy::plan_next(std::int64_t end_ns, bool missed) noexcept {
  const std::int64_t next_ns = release_ns_ + period_ns_;
  release_ns_ = next_ns;
  if (!missed) return;
  if (settings_.kind == OverrunKind::kSlip) {
    counters_.slipped_ns += end_ns - next_ns;
    release_ns_ = end_ns;
    return;
  }
  // Releases of the grid that lie in the past: next_ns, next_ns + period, ...
  const std::int64_t behind = (end_ns - next_ns) / period_ns_ + 1;
  const bool catches_up = settings_.kind == OverrunKind::kCatchUp || settings_.kind == OverrunKind::kDegrade;
  const std::int64_t kept = catches_up ? std::min(behind, settings_.max_behind) : 0;
  const std::int64_t skipped = behind - kept;
  counters_.skipped_releases += skipped;
  release_ns_ += skipped * period_ns_;
}

void OverrunPolicy::change_level(bool missed) noexcept {
  if (settings_.kind != OverrunKind::kDegrade) return;
  const int before = level_;
  in_time_ = missed ? 0 : in_time_ + 1;
  if (missed) {
    level_ = std::min(level_ + 1, settings_.levels - 1);
  } else if (in_time_ >= settings_.recover_after) {
    level_ = std::max(level_ - 1, 0);
    in_time_ = 0;
  }
  counters_.level_changes += level_ != before ? 1 : 0;
}

bool OverrunPolicy::limit_reached(bool missed) noexcept {
  consecutive_ = missed ? consecutive_ + 1 : 0;
  counters_.longest_run = std::max(counters_.longest_run, consecutive_);
  const auto place = static_cast<std::size_t>((counters_.steps - 1) % settings_.window_steps);
  std::uint64_t& word = missed_[place / 64];
  const std::uint64_t bit = std::uint64_t{1} << place % 64;
  in_window_ += (missed ? 1 : 0) - ((word & bit) != 0 ? 1 : 0);
  word = missed ? word | bit : word & ~bit;
  if (!missed) return false;
  return settings_.kind == OverrunKind::kStop ||
         (settings_.max_consecutive > 0 && consecutive_ > settings_.max_consecutive) ||
         (settings_.max_in_window > 0 && in_window_ > settings_.max_in_window);
}

}  // namespace kinloop::rt
