// Owns DelayLine: a value as it was some time ago, in memory that belongs to the State.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/base/require.hpp"

namespace kinloop {

/// Delays off the grid of steps are interpolated between the two steps around them.
class DelayLine {
 public:
  DelayLine(double delay_s, double dt_s) noexcept
      : whole_(static_cast<int>(std::floor(delay_s / dt_s * (1.0 + kRounding)))),
        part_(std::max(delay_s / dt_s - whole_, 0.0)) {
    require(delay_s >= 0.0 && dt_s > 0.0, "a delay leads into the past");
    if (part_ < kRounding * (1.0 + whole_)) part_ = 0.0;
  }

  /// Doubles that it keeps.
  int size() const noexcept { return whole_ + 2; }

  /// The delay in steps: whole ones, and the part of one more.
  int whole() const noexcept { return whole_; }
  double part() const noexcept { return part_; }

  /// How many values of past steps a later pass() still reads.
  int depth() const noexcept { return whole_ + (part_ > 0.0 ? 1 : 0); }
  /// Where the value that was taken `age` steps before the next one lies, after `step`; ages go from 1 to depth().
  int place(std::uint64_t step, int age) const noexcept {
    const auto count = static_cast<std::uint64_t>(size());
    return static_cast<int>((step + 1 + count - static_cast<std::uint64_t>(age)) % count);
  }

  /// As if the value had always been this.
  void fill(double value, double* kept) const noexcept {
    for (int i = 0; i < size(); ++i) kept[i] = value;
  }

  /// Takes the value of this step, gives the delayed one. Steps follow each other without gaps.
  double pass(std::uint64_t step, double value, double* kept) const noexcept {
    const auto count = static_cast<std::uint64_t>(size());
    const auto ago = [&](int steps) { return kept[(step + count - static_cast<std::uint64_t>(steps)) % count]; };
    kept[step % count] = value;
    const double later = ago(whole_);
    return part_ > 0.0 ? later + part_ * (ago(whole_ + 1) - later) : later;
  }

 private:
  /// Delays that are whole steps but for rounding count as such.
  static constexpr double kRounding = 1e-12;

  int whole_;
  double part_;
};

}  // namespace kinloop
