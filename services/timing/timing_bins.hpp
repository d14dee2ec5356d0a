// Owns the bins of a timing chart: buckets gathered into parts that are equally wide on a logarithmic axis.
#pragma once

#include <cstdint>
#include <vector>

#include "services/plot/axes.hpp"
#include "services/timing/timing_summary.hpp"

namespace kinloop::timing {

/// On a logarithmic axis zero has no place: what is shorter is shown here.
inline constexpr double kShortestShown_us = 0.1;

struct Bin {
  double lower = 0.0, upper = 0.0;  // log10 of microseconds
  std::uint64_t count = 0;
};

/// log10 of microseconds.
double log_us(double duration_ns) noexcept;

/// `range` in log10 of microseconds, about `wanted` parts of it, but none so narrow that buckets would show in it.
/// Ascending, empty ones left out; those without a gap between them share their bounds exactly.
std::vector<Bin> bins_of(const Distribution& all, plot::Range range, int wanted);

/// From the shortest duration of these to the longest and the period, with air.
plot::Range duration_range(const TimingSummary& summary);

plot::Axis duration_axis(plot::Range range);
/// Logarithmic too; one step is seen.
plot::Axis count_axis(const std::vector<Bin>& bins);

}  // namespace kinloop::timing
