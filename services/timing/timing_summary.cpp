// Reads each histogram once.
#include "services/timing/timing_summary.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

namespace kinloop::timing {
namespace {

/// The value that all but a share reach: the lower end of its bucket, never below the smallest.
std::int64_t low_percentile(const Distribution& all, double share) {
  const auto rank =
      std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(all.count))));
  std::uint64_t before = 0;
  for (const Bucket& bucket : all.buckets) {
    before += bucket.count;
    if (before >= rank) return std::max(bucket.lower_ns, all.min_ns);
  }
  return all.min_ns;
}

Distribution without_percentiles(const rt::HistogramCounts& counts) {
  Distribution result;
  result.count = counts.total;
  result.mean_ns = counts.mean();
  result.min_ns = counts.smallest;
  result.max_ns = counts.largest;
  for (std::size_t i = 0; i < counts.counts.size(); ++i) {
    if (counts.counts[i] == 0) continue;
    const auto lower = static_cast<std::int64_t>(rt::histogram_buckets::lower_bound(i));
    const auto next = static_cast<std::int64_t>(rt::histogram_buckets::lower_bound(i + 1));
    result.buckets.push_back({lower, next - 1, counts.counts[i]});
  }
  return result;
}

Distribution where_large_is_bad(const rt::HistogramCounts& counts) {
  Distribution result = without_percentiles(counts);
  result.p50_ns = counts.percentile(0.5);
  result.tail_ns = {counts.percentile(0.99), counts.percentile(0.999), counts.percentile(0.9999)};
  return result;
}

Distribution where_small_is_bad(const rt::HistogramCounts& counts) {
  Distribution result = without_percentiles(counts);
  result.p50_ns = low_percentile(result, 0.5);
  result.tail_ns = {low_percentile(result, 0.01), low_percentile(result, 0.001), low_percentile(result, 0.0001)};
  return result;
}

}  // namespace

std::int64_t TimingSummary::lateness_ns(const rt::StepTiming& step) const noexcept {
  return has_deadlines() ? std::max<std::int64_t>(step.response_ns() - period_ns, 0) : 0;
}

TimingSummary summarize(const rt::TimingMonitor& monitor, const rt::LoopStatus& status, std::int64_t period_ns) {
  const auto counts = std::make_unique<rt::HistogramCounts>();  // large
  const auto read = [&](const rt::Histogram& histogram) -> const rt::HistogramCounts& {
    histogram.copy_to(*counts);
    return *counts;
  };
  TimingSummary summary;
  summary.period_ns = std::max<std::int64_t>(period_ns, 0);
  summary.status = status;
  summary.wake_up = where_large_is_bad(read(monitor.latency()));
  summary.execution = where_large_is_bad(read(monitor.execution()));
  for (std::size_t p = 0; p < rt::kPhases; ++p) {
    summary.phases[p] = where_large_is_bad(read(monitor.phase(static_cast<rt::Phase>(p))));
  }
  if (summary.has_deadlines()) {
    summary.jitter = where_large_is_bad(read(monitor.jitter()));
    summary.slack = where_small_is_bad(read(monitor.slack()));
  }
  summary.steps = summary.execution.count;
  rt::WorstSteps::List list;
  const std::size_t count = monitor.worst().copy_to(list);
  summary.worst.assign(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(count));
  return summary;
}

}  // namespace kinloop::timing
