// Owns SpatialVector, a spatial vector of the sweeps: two Vec3, the angular part or moment first.
#pragma once

#include "core/spatial/vec3.hpp"

namespace kinloop {

/// Velocity, acceleration or wrench.
struct SpatialVector {
  Vec3 angular;
  Vec3 linear;
};

inline SpatialVector operator+(const SpatialVector& a, const SpatialVector& b) noexcept {
  return {a.angular + b.angular, a.linear + b.linear};
}
inline SpatialVector operator-(const SpatialVector& a, const SpatialVector& b) noexcept {
  return {a.angular - b.angular, a.linear - b.linear};
}
inline SpatialVector operator-(const SpatialVector& a) noexcept { return {-a.angular, -a.linear}; }
inline SpatialVector operator*(double s, const SpatialVector& a) noexcept { return {s * a.angular, s * a.linear}; }
inline double dot(const SpatialVector& a, const SpatialVector& b) noexcept {
  return dot(a.angular, b.angular, a.linear, b.linear);
}

inline SpatialVector rotated(const Mat3& R, const SpatialVector& a) noexcept { return {R * a.angular, R * a.linear}; }

/// Moves a velocity or acceleration from a point to the point r further on the same body.
inline SpatialVector shift_motion(const SpatialVector& motion, const Vec3& r) noexcept {
  return {motion.angular, motion.linear + cross(motion.angular, r)};
}

/// Moves a wrench to a point from which its own lies at r.
inline SpatialVector shift_force(const SpatialVector& wrench, const Vec3& r) noexcept {
  return {wrench.angular + cross(r, wrench.linear), wrench.linear};
}

}  // namespace kinloop
