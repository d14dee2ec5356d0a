// Tests what follows a late step: release times, plant times and counts, on a clock made of numbers.
#include "rt/policies/overrun_policy.hpp"

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

namespace kinloop::rt {
namespace {

constexpr std::int64_t kOverrunPolicyPeriod = 1000;
constexpr std::int64_t kUsual = 100;  // of a step, a tenth of a period

/// One step as it happened: when it was due, when it started, the plant's time at its end in periods, the level of
/// work.
struct Made {
  std::int64_t due, start, plant_time;
  int level;

  friend bool operator==(const Made&, const Made&) = default;
  friend void PrintTo(const Made& m, std::ostream* out) {
    *out << "due " << m.due << " start " << m.start << " plant time " << m.plant_time << " level " << m.level;
  }
};

struct History {
  std::vector<Made> steps;
  OverrunCounters counters;
  OverrunVerdict last = OverrunVerdict::kInTime;
};

/// Makes steps of which the given ones take longer than usual, until `count` are made or the policy ends it.
History run(const OverrunSettings& settings, int count, const std::vector<std::pair<int, std::int64_t>>& slow) {
  OverrunPolicy policy(settings, kOverrunPolicyPeriod, 0);
  History result;
  std::int64_t now = 0;
  for (int step = 0; step < count; ++step) {
    const std::int64_t due = policy.release_ns();
    const std::int64_t start = std::max(now, due);
    result.steps.push_back({due, start, step + 1, policy.level()});
    now = start + kUsual;
    for (const auto& [which, takes] : slow) {
      if (which == step) now = start + takes;
    }
    result.last = policy.finish(now);
    result.counters = policy.counters();
    if (result.last == OverrunVerdict::kLimitReached) break;
  }
  return result;
}

OverrunSettings with(OverrunKind kind) {
  OverrunSettings settings;
  settings.kind = kind;
  return settings;
}

// One step of 3.4 periods, all others of 0.1.

TEST(OverrunPolicy, SlipMovesAllLaterReleases) {
  const History r = run(with(OverrunKind::kSlip), 4, {{0, 3400}});

  EXPECT_EQ(r.steps, (std::vector<Made>{{0, 0, 1, 0}, {3400, 3400, 2, 0}, {4400, 4400, 3, 0}, {5400, 5400, 4, 0}}));
  EXPECT_EQ(r.counters.misses, 1);
  EXPECT_EQ(r.counters.skipped_releases, 0);
  EXPECT_EQ(r.counters.slipped_ns, 2400);
}

TEST(OverrunPolicy, CatchUpMakesLateStepsOneAfterTheOther) {
  const History r = run(with(OverrunKind::kCatchUp), 6, {{0, 3400}});

  EXPECT_EQ(r.steps, (std::vector<Made>{{0, 0, 1, 0},
                                        {1000, 3400, 2, 0},
                                        {2000, 3500, 3, 0},
                                        {3000, 3600, 4, 0},
                                        {4000, 4000, 5, 0},
                                        {5000, 5000, 6, 0}}));
  EXPECT_EQ(r.counters.misses, 3);  // the slow step, and two that were too late before they began
  EXPECT_EQ(r.counters.skipped_releases, 0);
  EXPECT_EQ(r.counters.slipped_ns, 0);
}

TEST(OverrunPolicy, CatchUpGivesUpWhatIsBeyondItsBound) {
  OverrunSettings settings = with(OverrunKind::kCatchUp);
  settings.max_behind = 1;

  const History r = run(settings, 3, {{0, 3400}});

  EXPECT_EQ(r.steps, (std::vector<Made>{{0, 0, 1, 0}, {3000, 3400, 2, 0}, {4000, 4000, 3, 0}}));
  EXPECT_EQ(r.counters.misses, 1);
  EXPECT_EQ(r.counters.skipped_releases, 2);
}

TEST(OverrunPolicy, SkipStaysInPhase) {
  const History r = run(with(OverrunKind::kSkip), 3, {{0, 3400}});

  EXPECT_EQ(r.steps, (std::vector<Made>{{0, 0, 1, 0}, {4000, 4000, 2, 0}, {5000, 5000, 3, 0}}));
  EXPECT_EQ(r.counters.misses, 1);
  EXPECT_EQ(r.counters.skipped_releases, 3);
}

TEST(OverrunPolicy, DegradeCatchesUpWithLessWorkAndRecovers) {
  OverrunSettings settings = with(OverrunKind::kDegrade);
  settings.levels = 3;
  settings.recover_after = 2;

  const History r = run(settings, 9, {{0, 3400}});

  EXPECT_EQ(r.steps, (std::vector<Made>{{0, 0, 1, 0},
                                        {1000, 3400, 2, 1},
                                        {2000, 3500, 3, 2},
                                        {3000, 3600, 4, 2},
                                        {4000, 4000, 5, 2},
                                        {5000, 5000, 6, 1},
                                        {6000, 6000, 7, 1},
                                        {7000, 7000, 8, 0},
                                        {8000, 8000, 9, 0}}));
  EXPECT_EQ(r.counters.misses, 3);
  EXPECT_EQ(r.counters.level_changes, 4);
}

TEST(OverrunPolicy, StopEndsWithTheFirstLateStep) {
  const History r = run(with(OverrunKind::kStop), 5, {{2, 3400}});

  EXPECT_EQ(r.steps.size(), 3U);
  EXPECT_EQ(r.last, OverrunVerdict::kLimitReached);
  EXPECT_EQ(r.counters.misses, 1);
}

TEST(OverrunPolicy, AStepThatEndsWithItsPeriodIsInTime) {
  EXPECT_EQ(run(with(OverrunKind::kStop), 1, {{0, kOverrunPolicyPeriod}}).last, OverrunVerdict::kInTime);
  EXPECT_EQ(run(with(OverrunKind::kStop), 1, {{0, kOverrunPolicyPeriod + 1}}).last, OverrunVerdict::kLimitReached);
}

TEST(OverrunPolicy, LimitsMissesOneAfterTheOther) {
  OverrunSettings settings = with(OverrunKind::kSkip);
  settings.max_consecutive = 2;

  EXPECT_EQ(run(settings, 20, {{3, 1500}, {4, 1500}, {6, 1500}, {7, 1500}}).steps.size(), 20U);
  const History ended = run(settings, 20, {{3, 1500}, {4, 1500}, {5, 1500}});

  EXPECT_EQ(ended.steps.size(), 6U);
  EXPECT_EQ(ended.last, OverrunVerdict::kLimitReached);
  EXPECT_EQ(ended.counters.longest_run, 3);
}

TEST(OverrunPolicy, LimitsMissesWithinAWindowThatMovesOn) {
  OverrunSettings settings = with(OverrunKind::kSkip);
  settings.max_in_window = 2;
  settings.window_steps = 10;

  EXPECT_EQ(run(settings, 40, {{0, 1500}, {5, 1500}, {10, 1500}, {15, 1500}, {20, 1500}}).steps.size(), 40U);
  EXPECT_EQ(run(settings, 40, {{0, 1500}, {5, 1500}, {9, 1500}}).steps.size(), 10U);
}

TEST(OverrunPolicy, ForgivesMissesOfTheStart) {
  OverrunSettings settings = with(OverrunKind::kStop);
  settings.grace_steps = 3;

  const History r = run(settings, 10, {{0, 3400}, {2, 1500}, {5, 1500}});

  EXPECT_EQ(r.steps.size(), 6U);
  EXPECT_EQ(r.counters.misses_in_grace, 2);
  EXPECT_EQ(r.counters.misses, 3);
}

TEST(OverrunPolicy, KnowsItsNames) {
  const std::vector<std::string_view> expected{"slip", "catch_up", "skip", "degrade", "stop"};

  std::vector<std::string_view> names;
  for (const auto& [kind, name] : overrun_names()) {
    EXPECT_EQ(name_of(kind), name);
    names.push_back(name);
  }

  EXPECT_EQ(names, expected);
}

}  // namespace
}  // namespace kinloop::rt
