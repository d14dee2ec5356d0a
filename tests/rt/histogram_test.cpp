// Tests the timing histogram against sorted samples.
#include "rt/timing/histogram.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <thread>

#include "tests/support/allocation_count.hpp"

namespace kinloop::rt {
namespace {

using namespace histogram_buckets;

TEST(Histogram, HasBucketsWithoutGapsWithinTwoPercent) {
  for (std::size_t i = 0; i + 1 < kCount; ++i) {
    EXPECT_EQ(index_of(lower_bound(i)), i);
    EXPECT_EQ(index_of(lower_bound(i + 1) - 1), i);
    const auto width = static_cast<double>(lower_bound(i + 1) - lower_bound(i));
    EXPECT_TRUE(width == 1.0 || width <= 0.016 * static_cast<double>(lower_bound(i))) << i;
  }
  EXPECT_EQ(index_of(UINT64_MAX), kCount - 1);
}

TEST(Histogram, GivesThePercentilesOfSortedSamplesWithinABucket) {
  std::mt19937_64 random(7);
  std::lognormal_distribution<double> durations(9.0, 2.0);
  const auto histogram = std::make_unique<Histogram>();
  std::vector<std::int64_t> samples;
  for (int i = 0; i < 20000; ++i) {
    samples.push_back(static_cast<std::int64_t>(durations(random)));
    histogram->record(samples.back());
  }
  std::sort(samples.begin(), samples.end());
  const auto counts = std::make_unique<HistogramCounts>();

  histogram->copy_to(*counts);

  EXPECT_EQ(counts->total, samples.size());
  EXPECT_EQ(counts->smallest, samples.front());
  EXPECT_EQ(counts->largest, samples.back());
  for (const double share : {0.0001, 0.1, 0.5, 0.9, 0.99, 0.999, 0.9999, 1.0}) {
    const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(samples.size()))) - 1;
    const auto exact = static_cast<double>(samples[rank]);
    EXPECT_GE(static_cast<double>(counts->percentile(share)), exact) << share;
    EXPECT_LE(static_cast<double>(counts->percentile(share)), 1.016 * exact + 1.0) << share;
  }
}

TEST(Histogram, TakesDurationsBelowZeroAndBeyondItsEnd) {
  const auto histogram = std::make_unique<Histogram>();
  const auto counts = std::make_unique<HistogramCounts>();
  histogram->copy_to(*counts);
  EXPECT_EQ(counts->percentile(0.5), 0);

  histogram->record(-5);
  histogram->record(INT64_MAX);
  histogram->copy_to(*counts);

  EXPECT_EQ(counts->total, 2U);
  EXPECT_EQ(counts->percentile(0.5), 0);
  EXPECT_EQ(counts->largest, INT64_MAX);
}

TEST(Histogram, MayBeReadWhileAnotherThreadRecords) {
  const auto histogram = std::make_unique<Histogram>();
  const auto counts = std::make_unique<HistogramCounts>();
  constexpr std::uint64_t kRecords = 200000;
  std::thread recorder([&] {
    for (std::uint64_t i = 0; i < kRecords; ++i) histogram->record(static_cast<std::int64_t>(i % 1000));
  });

  std::uint64_t before = 0;
  while (before < kRecords) {
    histogram->copy_to(*counts);
    EXPECT_GE(counts->total, before);
    before = counts->total;
  }
  recorder.join();

  EXPECT_EQ(counts->total, kRecords);
}

TEST(Histogram, RecordsWithoutAllocation) {
  const auto histogram = std::make_unique<Histogram>();

  const AllocationCount allocations;
  for (int i = 0; i < 1000; ++i) histogram->record(i * 1000);

  EXPECT_EQ(allocations.value(), 0);
}

}  // namespace
}  // namespace kinloop::rt
