// Owns the measure of disagreement between contestants.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace kinloop::bench {

/// Largest difference, relative to the largest entry of `a` or 1.
inline double max_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0.0, scale = 1.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!std::isfinite(a[i]) || !std::isfinite(b[i])) return INFINITY;
    largest = std::max(largest, std::abs(a[i] - b[i]));
    scale = std::max(scale, std::abs(a[i]));
  }
  return largest / scale;
}

}  // namespace kinloop::bench
