// Owns Histogram: how often which duration occurred, from a nanosecond to hours, each within 1.6 %.
//
// Buckets as in HdrHistogram: every power of two is divided into 64 equal parts. One thread records, wait-free; any
// other, in any process that shares the memory, may look at it meanwhile.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace kinloop::rt {

namespace histogram_buckets {

inline constexpr unsigned kPartBits = 6;
inline constexpr std::uint64_t kParts = std::uint64_t{1} << kPartBits;
inline constexpr unsigned kLargestBits = 44;  // 2^44 ns: nearly five hours; longer durations count as that
inline constexpr std::size_t kCount = (kLargestBits - kPartBits + 1) * kParts;

/// The first 2 * kParts buckets hold one value each.
constexpr std::size_t index_of(std::uint64_t value) noexcept {
  constexpr std::uint64_t kLargest = (std::uint64_t{1} << kLargestBits) - 1;
  if (value > kLargest) value = kLargest;
  if (value < kParts) return static_cast<std::size_t>(value);
  const unsigned shift = static_cast<unsigned>(std::bit_width(value)) - kPartBits - 1;
  return static_cast<std::size_t>(shift * kParts + (value >> shift));
}

/// Smallest value of a bucket.
constexpr std::uint64_t lower_bound(std::size_t index) noexcept {
  if (index < 2 * kParts) return index;
  const std::uint64_t shift = index / kParts - 1;
  return (index - shift * kParts) << shift;
}

}  // namespace histogram_buckets

/// A picture of a histogram at one time, to be evaluated at leisure.
struct HistogramCounts {
  std::array<std::uint64_t, histogram_buckets::kCount> counts{};
  std::uint64_t total = 0;
  std::int64_t smallest = 0, largest = 0;  // exact; 0 where nothing was recorded
  double sum = 0.0;

  /// The value that a share of all (0 to 1) does not exceed: the upper end of its bucket, never above the largest.
  std::int64_t percentile(double share) const noexcept;
  double mean() const noexcept { return total > 0 ? sum / static_cast<double>(total) : 0.0; }
};

class Histogram {
 public:
  /// By one thread only. Durations below zero count as zero. No allocation, no wait.
  void record(std::int64_t duration_ns) noexcept;

  /// By any thread; the parts may differ by what is recorded meanwhile. The result is large: not for the stack of a
  /// real-time thread.
  void copy_to(HistogramCounts& out) const noexcept;

 private:
  // All relaxed: every number stands for itself. Only the recording thread writes, so that a load and a store suffice.
  std::array<std::atomic<std::uint64_t>, histogram_buckets::kCount> counts_{};
  std::atomic<std::int64_t> smallest_{INT64_MAX}, largest_{0};
  std::atomic<double> sum_{0.0};
};

}  // namespace kinloop::rt
