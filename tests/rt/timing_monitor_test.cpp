// Tests the times of steps: sums, the worst ones, and readers beside the stepping thread.
#include "rt/timing/timing_monitor.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <random>
#include <thread>

#include "tests/support/allocation_count.hpp"

namespace kinloop::rt {
namespace {

constexpr std::int64_t kPeriod_ns = 1'000'000;

StepTiming timing(std::int64_t step, std::int64_t latency_ns, std::int64_t solve_ns) {
  const std::int64_t due_ns = step * kPeriod_ns;
  return {step, due_ns, due_ns + latency_ns, {100, solve_ns, 300, 400, 500}};
}

HistogramCounts counts_of(const Histogram& histogram) {
  HistogramCounts counts;
  histogram.copy_to(counts);
  return counts;
}

TEST(TimingMonitor, TakesAStepApart) {
  const auto monitor = std::make_unique<TimingMonitor>();

  monitor->record(timing(1, 2000, 40000), kPeriod_ns);
  monitor->record(timing(2, 5000, 50000), kPeriod_ns);

  EXPECT_EQ(counts_of(monitor->latency()).largest, 5000);
  EXPECT_EQ(counts_of(monitor->execution()).smallest, 41300);
  EXPECT_EQ(counts_of(monitor->execution()).largest, 51300);
  EXPECT_EQ(counts_of(monitor->slack()).smallest, kPeriod_ns - 51300 - 5000);
  EXPECT_EQ(counts_of(monitor->phase(Phase::kSolve)).largest, 50000);
  EXPECT_EQ(counts_of(monitor->phase(Phase::kPublish)).largest, 500);
  EXPECT_EQ(counts_of(monitor->jitter()).total, 1U);
  EXPECT_EQ(counts_of(monitor->jitter()).largest, 3000);
}

TEST(TimingMonitor, LeavesPausesOutOfTheJitter) {
  const auto monitor = std::make_unique<TimingMonitor>();

  monitor->record(timing(1, 0, 1000), kPeriod_ns);
  monitor->interrupt();
  monitor->record(timing(500, 0, 1000), kPeriod_ns);

  EXPECT_EQ(counts_of(monitor->jitter()).total, 0U);
}

TEST(TimingMonitor, HasNoSlackLeftInALateStep) {
  const auto monitor = std::make_unique<TimingMonitor>();

  monitor->record(timing(1, 0, 3 * kPeriod_ns), kPeriod_ns);

  EXPECT_EQ(counts_of(monitor->slack()).largest, 0);
}

TEST(WorstSteps, AreTheOnesOfASortedListWorstFirst) {
  std::mt19937_64 random(11);
  std::vector<StepTiming> all;
  WorstSteps worst;
  for (std::int64_t step = 0; step < 1000; ++step) {
    all.push_back(
        timing(step, static_cast<std::int64_t>(random() % 100000), static_cast<std::int64_t>(random() % 100000)));
    worst.offer(all.back());
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const StepTiming& a, const StepTiming& b) { return a.response_ns() > b.response_ns(); });

  WorstSteps::List list;
  ASSERT_EQ(worst.copy_to(list), WorstSteps::kKept);

  for (std::size_t i = 0; i < WorstSteps::kKept; ++i) {
    EXPECT_EQ(list[i].response_ns(), all[i].response_ns());
    EXPECT_EQ(list[i].step, all[i].step);
    EXPECT_EQ(list[i].phase_ns, all[i].phase_ns);
  }
}

TEST(WorstSteps, AreAsManyAsThereWere) {
  WorstSteps worst;
  WorstSteps::List list;
  EXPECT_EQ(worst.copy_to(list), 0U);

  worst.offer(timing(1, 10, 10));
  worst.offer(timing(2, 20, 20));

  ASSERT_EQ(worst.copy_to(list), 2U);
  EXPECT_EQ(list[0].step, 2);
  EXPECT_EQ(list[1].step, 1);
}

TEST(WorstSteps, MayBeReadWhileTheyChange) {
  WorstSteps worst;
  std::atomic<bool> done = false;
  std::thread stepper([&] {
    for (std::int64_t step = 1; step <= 100000; ++step) worst.offer(timing(step, 10 * step, step));
    done = true;
  });

  WorstSteps::List list;
  while (!done) {
    const std::size_t count = worst.copy_to(list);
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_EQ(list[i].phase_ns[1], list[i].step);
      ASSERT_EQ(list[i].latency_ns(), 10 * list[i].step);
      if (i > 0) {
        ASSERT_EQ(list[i].step, list[i - 1].step - 1);
      }
    }
  }
  stepper.join();

  EXPECT_EQ(worst.copy_to(list), WorstSteps::kKept);
}

TEST(TimingMonitor, RecordsWithoutAllocation) {
  const auto monitor = std::make_unique<TimingMonitor>();

  const AllocationCount allocations;
  for (int i = 0; i < 1000; ++i) monitor->record(timing(i, i, 2 * i), kPeriod_ns);

  EXPECT_EQ(allocations.value(), 0);
}

}  // namespace
}  // namespace kinloop::rt
