// Owns vectors and frames of a plane, for mechanisms that stay in one.
#pragma once

#include <cmath>

namespace kinloop {

struct Vec2 {
  double x = 0.0, y = 0.0;
};

inline Vec2 operator+(const Vec2& a, const Vec2& b) noexcept { return {a.x + b.x, a.y + b.y}; }
inline Vec2 operator-(const Vec2& a, const Vec2& b) noexcept { return {a.x - b.x, a.y - b.y}; }
inline Vec2 operator-(const Vec2& a) noexcept { return {-a.x, -a.y}; }
inline double length(const Vec2& a) noexcept { return std::hypot(a.x, a.y); }

/// Against x, counted towards y.
inline double heading(const Vec2& a) noexcept { return std::atan2(a.y, a.x); }

inline Vec2 rotated(double angle_rad, const Vec2& a) noexcept {
  const double c = std::cos(angle_rad);
  const double s = std::sin(angle_rad);
  return {c * a.x - s * a.y, s * a.x + c * a.y};
}

/// A frame in another: its origin, then its direction.
struct PlanarPose {
  Vec2 p;
  double angle_rad = 0.0;
};

inline PlanarPose operator*(const PlanarPose& a, const PlanarPose& b) noexcept {
  return {a.p + rotated(a.angle_rad, b.p), a.angle_rad + b.angle_rad};
}

inline PlanarPose inverse(const PlanarPose& a) noexcept { return {rotated(-a.angle_rad, -a.p), -a.angle_rad}; }

}  // namespace kinloop
