// Logarithms to the base of ten of microseconds and counts.
#include "services/timing/timing_bins.hpp"

#include <cmath>

namespace kinloop::timing {
namespace {

using plot::Axis;
using plot::Range;

constexpr double kNarrowest = 0.035;  // decades: five buckets or more, so that their edges leave no pattern
constexpr double kAir = 0.06;         // decades
constexpr double kNameRoom = 0.04;    // of the span, to the right for the name of the last mark
constexpr double kBelowOne = -0.4;    // log10: where the bar of a single step starts

void add_tick(double value, Axis& axis) {
  const double at = std::log10(value);
  if (at < axis.range.least - 1e-9 || at > axis.range.most + 1e-9) return;
  axis.ticks.values.push_back(at);
  axis.ticks.labels.push_back(plot::short_label(value));
}

}  // namespace

double log_us(double duration_ns) noexcept { return std::log10(std::max(duration_ns * 1e-3, kShortestShown_us)); }

std::vector<Bin> bins_of(const Distribution& all, Range range, int wanted) {
  const double width = std::max(range.span() / wanted, kNarrowest);
  std::vector<Bin> bins;
  long last = -1;
  for (const Bucket& bucket : all.buckets) {
    // Bounds beyond the extremes are not what happened.
    const auto lower = static_cast<double>(std::max(bucket.lower_ns, all.min_ns));
    const auto upper = static_cast<double>(std::min(bucket.upper_ns, all.max_ns));
    const double at = log_us(0.5 * (lower + std::max(lower, upper)));
    const long index = std::max(0L, std::lround(std::floor((at - range.least) / width)));
    if (bins.empty() || index != last) {
      const auto left = static_cast<double>(index);
      bins.push_back({range.least + left * width, range.least + (left + 1.0) * width, 0});
    }
    bins.back().count += bucket.count;
    last = index;
  }
  return bins;
}

Range duration_range(const TimingSummary& summary) {
  Range range;
  for (const Distribution* all : {&summary.wake_up, &summary.execution}) {
    if (all->count == 0) continue;
    range.add(log_us(static_cast<double>(all->min_ns)));
    range.add(log_us(static_cast<double>(all->max_ns)));
  }
  if (summary.has_deadlines()) range.add(log_us(static_cast<double>(summary.period_ns)));
  if (range.empty()) range.add(3.0);
  range.least = std::min(range.least - kAir, range.most - 1.0);
  range.most += kAir + kNameRoom * range.span();
  // On a round number, where it can be read.
  range.least = std::log10(plot::round_down(std::max(std::pow(10.0, range.least), kShortestShown_us)));
  return range;
}

Axis duration_axis(Range range) {
  Axis axis{range, {}, "duration (µs)"};
  constexpr double kMaxDecadesInParts = 5.5;
  const bool in_parts = range.span() <= kMaxDecadesInParts;
  for (int decade = static_cast<int>(std::floor(range.least)); decade <= range.most; ++decade) {
    const double power = std::pow(10.0, decade);
    add_tick(power, axis);
    if (!in_parts) continue;
    add_tick(2.0 * power, axis);
    add_tick(5.0 * power, axis);
  }
  const bool gathers_shorter = range.least <= std::log10(kShortestShown_us) + 1e-9;
  if (gathers_shorter) axis.ticks.labels.front() = "≤ " + axis.ticks.labels.front();
  return axis;
}

Axis count_axis(const std::vector<Bin>& bins) {
  std::uint64_t most = 10;
  for (const Bin& bin : bins) most = std::max(most, bin.count);
  Axis axis{{kBelowOne, std::log10(static_cast<double>(most)) + kAir}, {}, "steps"};
  for (int decade = 0; decade <= axis.range.most; ++decade) add_tick(std::pow(10.0, decade), axis);
  return axis;
}

}  // namespace kinloop::timing
