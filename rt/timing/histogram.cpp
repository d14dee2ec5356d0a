// Counts, and reads percentiles out of the counts.
#include "rt/timing/histogram.hpp"

#include <algorithm>
#include <cmath>

namespace kinloop::rt {

void Histogram::record(std::int64_t duration_ns) noexcept {
  constexpr auto kRelaxed = std::memory_order_relaxed;
  const std::int64_t value = std::max<std::int64_t>(duration_ns, 0);
  std::atomic<std::uint64_t>& count = counts_[histogram_buckets::index_of(static_cast<std::uint64_t>(value))];
  count.store(count.load(kRelaxed) + 1, kRelaxed);
  if (value < smallest_.load(kRelaxed)) smallest_.store(value, kRelaxed);
  if (value > largest_.load(kRelaxed)) largest_.store(value, kRelaxed);
  sum_.store(sum_.load(kRelaxed) + static_cast<double>(value), kRelaxed);
}

void Histogram::copy_to(HistogramCounts& out) const noexcept {
  constexpr auto kRelaxed = std::memory_order_relaxed;
  out.total = 0;
  for (std::size_t i = 0; i < out.counts.size(); ++i) {
    out.counts[i] = counts_[i].load(kRelaxed);
    out.total += out.counts[i];
  }
  out.smallest = out.total > 0 ? smallest_.load(kRelaxed) : 0;
  out.largest = largest_.load(kRelaxed);
  out.sum = sum_.load(kRelaxed);
}

std::int64_t HistogramCounts::percentile(double share) const noexcept {
  if (total == 0) return 0;
  const double wanted = std::ceil(std::clamp(share, 0.0, 1.0) * static_cast<double>(total));
  const auto rank = std::max<std::uint64_t>(static_cast<std::uint64_t>(wanted), 1);
  std::uint64_t before = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    before += counts[i];
    if (before < rank) continue;
    const auto end = static_cast<std::int64_t>(histogram_buckets::lower_bound(i + 1)) - 1;
    return std::min(end, largest);
  }
  return largest;
}

}  // namespace kinloop::rt
