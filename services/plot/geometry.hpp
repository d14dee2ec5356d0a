// Owns the plane that pictures are drawn in: points and ranges.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace kinloop::plot {

/// On the canvas x points right and y down, in pixels; data has its own axes.
struct Point {
  double x = 0.0;
  double y = 0.0;

  friend bool operator==(const Point&, const Point&) = default;
};

inline Point operator+(Point a, Point b) noexcept { return {a.x + b.x, a.y + b.y}; }
inline Point operator-(Point a, Point b) noexcept { return {a.x - b.x, a.y - b.y}; }
inline Point operator*(double s, Point a) noexcept { return {s * a.x, s * a.y}; }
inline double length(Point a) noexcept { return std::hypot(a.x, a.y); }
/// `a`, one long; `otherwise` where it has no direction.
inline Point unit(Point a, Point otherwise) noexcept {
  const double l = length(a);
  return l > 1e-12 ? Point{a.x / l, a.y / l} : otherwise;
}
inline Point quarter_turn(Point a) noexcept { return {-a.y, a.x}; }

/// What separates two pieces of a line.
inline constexpr Point kGap{std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN()};

/// Beyond this, differences would overflow; nothing physical is.
inline constexpr double kLargestDrawn = 1e150;
inline bool is_drawable(double value) noexcept { return std::abs(value) < kLargestDrawn; }  // false for NaN
inline bool is_drawable(Point p) noexcept { return is_drawable(p.x) && is_drawable(p.y); }

/// Empty until something is added.
struct Range {
  double least = std::numeric_limits<double>::infinity();
  double most = -std::numeric_limits<double>::infinity();

  void add(double value) noexcept {
    if (!is_drawable(value)) return;
    least = std::min(least, value);
    most = std::max(most, value);
  }
  bool empty() const noexcept { return !(least <= most); }
  double span() const noexcept { return most - least; }
};

struct Rectangle {
  double left = 0.0, top = 0.0, width = 0.0, height = 0.0;
  double right() const noexcept { return left + width; }
  double bottom() const noexcept { return top + height; }
};

/// A line in pieces, set apart by kGap.
using Line = std::vector<Point>;

}  // namespace kinloop::plot
