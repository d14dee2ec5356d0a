// Tests every number of a summary against durations that are known.
#include "services/timing/timing_summary.hpp"

#include <gtest/gtest.h>

#include "tests/services/timing/measured_run.hpp"

namespace kinloop::timing {
namespace {

constexpr double kBucketWidth = 1.0 / 64.0;  // relative: rt/timing/histogram.hpp

void expect_within_bucket_above(std::int64_t value, std::int64_t truth) {
  EXPECT_GE(value, truth);
  EXPECT_LE(double(value), double(truth) * (1.0 + kBucketWidth));
}
void expect_within_bucket_below(std::int64_t value, std::int64_t truth) {
  EXPECT_LE(value, truth);
  EXPECT_GE(double(value), double(truth) * (1.0 - kBucketWidth));
}

TEST(TimingSummary, TellsHowLatencyAndExecutionSpread) {
  const TimingSummary summary = run_in_time().summary();

  EXPECT_EQ(summary.steps, 10000U);
  EXPECT_EQ(summary.wake_up.count, 10000U);
  EXPECT_EQ(summary.wake_up.min_ns, 2000);
  EXPECT_EQ(summary.wake_up.max_ns, 60'000);
  EXPECT_NEAR(summary.wake_up.mean_ns, (9990 * 2000.0 + 9 * 50'000.0 + 60'000.0) / 10000, 1e-6);
  expect_within_bucket_above(summary.wake_up.p50_ns, 2000);
  expect_within_bucket_above(summary.wake_up.tail_ns[0], 2000);
  expect_within_bucket_above(summary.wake_up.tail_ns[1], 2000);
  expect_within_bucket_above(summary.wake_up.tail_ns[2], 50'000);
  EXPECT_EQ(summary.execution.max_ns, 628'000);
  expect_within_bucket_above(summary.execution.p50_ns, 100'000);
  expect_within_bucket_above(summary.execution.tail_ns[0], 100'000);
  expect_within_bucket_above(summary.execution.tail_ns[1], 200'000);
  expect_within_bucket_above(summary.execution.tail_ns[2], 200'000);
}

TEST(TimingSummary, HasEachPhaseInItsPlace) {
  const TimingSummary summary = run_in_time().summary();

  const std::array<std::int64_t, rt::kPhases> largest_ns = {1000, 615'000, 3000, 4000, 5000};
  for (std::size_t p = 0; p < rt::kPhases; ++p) {
    EXPECT_EQ(summary.phases[p].count, 10000U);
    EXPECT_EQ(summary.phases[p].max_ns, largest_ns[p]);
  }
}

TEST(TimingSummary, ReadsSlackFromItsSmallEnd) {
  const TimingSummary summary = run_in_time().summary();

  EXPECT_EQ(summary.slack.min_ns, 312'000);
  EXPECT_EQ(summary.slack.max_ns, 898'000);
  expect_within_bucket_below(summary.slack.p50_ns, 898'000);
  expect_within_bucket_below(summary.slack.tail_ns[0], 798'000);
  expect_within_bucket_below(summary.slack.tail_ns[1], 750'000);
  EXPECT_EQ(summary.slack.tail_ns[2], 312'000);  // the worst of ten thousand, known exactly
}

TEST(TimingSummary, MeasuresJitterBetweenNeighbours) {
  MeasuredRun run;
  run.step(2000, 10'000);
  run.step(5000, 10'000);
  run.step(1000, 10'000);

  const TimingSummary summary = run.summary();

  EXPECT_EQ(summary.jitter.count, 2U);
  EXPECT_EQ(summary.jitter.min_ns, 3000);
  EXPECT_EQ(summary.jitter.max_ns, 4000);
  EXPECT_EQ(summary.jitter.mean_ns, 3500.0);
}

TEST(TimingSummary, KeepsTheBucketsThatAreNotEmpty) {
  const TimingSummary summary = run_in_time().summary();

  ASSERT_EQ(summary.wake_up.buckets.size(), 3U);
  const std::array<std::int64_t, 3> values_ns = {2000, 50'000, 60'000};
  const std::array<std::uint64_t, 3> counts = {9990, 9, 1};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_LE(summary.wake_up.buckets[i].lower_ns, values_ns[i]);
    EXPECT_GE(summary.wake_up.buckets[i].upper_ns, values_ns[i]);
    EXPECT_EQ(summary.wake_up.buckets[i].count, counts[i]);
  }
}

TEST(TimingSummary, ListsTheWorstStepsAndHowLateTheyWere) {
  const TimingSummary summary = run_with_misses().summary();

  ASSERT_EQ(summary.worst.size(), rt::WorstSteps::kKept);
  EXPECT_EQ(summary.worst[0].step, 1000);
  EXPECT_EQ(summary.worst[0].phase_ns[1], 1'000'000);
  EXPECT_EQ(summary.lateness_ns(summary.worst[0]), 88'000);
  EXPECT_EQ(summary.lateness_ns(summary.worst[2]), 15'000);
  EXPECT_EQ(summary.lateness_ns(summary.worst[3]), 0);
  EXPECT_EQ(summary.slack.min_ns, 0);
  EXPECT_EQ(summary.status.overrun.misses, 3);
}

TEST(TimingSummary, IsEmptyBeforeTheFirstStep) {
  const TimingSummary summary = MeasuredRun().summary();

  EXPECT_EQ(summary.steps, 0U);
  EXPECT_TRUE(summary.worst.empty());
  for (const Distribution* all : {&summary.wake_up, &summary.execution, &summary.jitter, &summary.slack}) {
    EXPECT_EQ(all->count, 0U);
    EXPECT_EQ(all->mean_ns, 0.0);
    EXPECT_EQ(all->min_ns, 0);
    EXPECT_EQ(all->tail_ns, (std::array<std::int64_t, 3>{}));
    EXPECT_EQ(all->max_ns, 0);
    EXPECT_TRUE(all->buckets.empty());
  }
}

TEST(TimingSummary, HasNeitherSlackNorJitterWithoutAClock) {
  const MeasuredRun run = run_in_time();

  const TimingSummary summary = summarize(*run.monitor, run.status, 0);

  EXPECT_FALSE(summary.has_deadlines());
  EXPECT_EQ(summary.slack.count, 0U);
  EXPECT_EQ(summary.jitter.count, 0U);
  EXPECT_EQ(summary.execution.count, 10000U);
  EXPECT_EQ(summary.lateness_ns(summary.worst[0]), 0);
}

}  // namespace
}  // namespace kinloop::timing
