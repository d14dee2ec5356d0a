// Owns Pair, a spatial vector of the sweeps: two Vec3, the angular part or moment first.
#pragma once

#include "core/spatial/vec3.hpp"

namespace kinloop {

/// Velocity, acceleration or wrench.
struct Pair {
  Vec3 angular;
  Vec3 linear;
};

inline Pair operator+(const Pair& a, const Pair& b) noexcept { return {a.angular + b.angular, a.linear + b.linear}; }
inline Pair operator-(const Pair& a, const Pair& b) noexcept { return {a.angular - b.angular, a.linear - b.linear}; }
inline Pair operator-(const Pair& a) noexcept { return {-a.angular, -a.linear}; }
inline Pair operator*(double s, const Pair& a) noexcept { return {s * a.angular, s * a.linear}; }
inline double dot(const Pair& a, const Pair& b) noexcept { return dot(a.angular, b.angular, a.linear, b.linear); }

inline Pair turned(const Mat3& R, const Pair& a) noexcept { return {R * a.angular, R * a.linear}; }

/// Moves a velocity or acceleration from a point to the point r further on the same body.
inline Pair moved(const Pair& motion, const Vec3& r) noexcept {
  return {motion.angular, motion.linear + cross(motion.angular, r)};
}

/// Moves a wrench to a point from which its own lies at r.
inline Pair wrench_moved(const Pair& wrench, const Vec3& r) noexcept {
  return {wrench.angular + cross(r, wrench.linear), wrench.linear};
}

}  // namespace kinloop
