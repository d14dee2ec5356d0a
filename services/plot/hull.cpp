// Andrew's monotone chain (1979).
#include "services/plot/hull.hpp"

namespace kinloop::plot {
namespace {

double turn(Point a, Point b, Point c) { return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x); }

/// One side of the hull; `points` are sorted.
template <class Iterator>
std::vector<Point> chain(Iterator first, Iterator last) {
  std::vector<Point> side;
  for (; first != last; ++first) {
    while (side.size() >= 2 && turn(side[side.size() - 2], side.back(), *first) <= 0.0) side.pop_back();
    side.push_back(*first);
  }
  side.pop_back();  // starts the other side
  return side;
}

}  // namespace

std::vector<Point> convex_hull(std::vector<Point> points, double nearly) {
  std::sort(points.begin(), points.end(), [](Point a, Point b) { return a.x < b.x || (a.x == b.x && a.y < b.y); });
  points.erase(std::unique(points.begin(), points.end()), points.end());
  if (points.size() < 2) return points;
  std::vector<Point> hull = chain(points.begin(), points.end());
  const std::vector<Point> back = chain(points.rbegin(), points.rend());
  hull.insert(hull.end(), back.begin(), back.end());

  // The farthest pair, and how far the others stand off the line through it.
  Point a = hull.front();
  Point b = hull.front();
  for (std::size_t i = 0; i < hull.size(); ++i) {
    for (std::size_t j = i + 1; j < hull.size(); ++j) {
      if (length(hull[j] - hull[i]) > length(b - a)) {
        a = hull[i];
        b = hull[j];
      }
    }
  }
  double width = 0.0;
  for (const Point& p : hull) width = std::max(width, std::abs(turn(a, b, p)) / length(b - a));
  if (width <= nearly) return {a, b};
  return hull;
}

}  // namespace kinloop::plot
