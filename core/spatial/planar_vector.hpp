// Owns the spatial algebra of a plane: three numbers for motions and forces of a mechanism that stays in one, with the
// names and rules of core/spatial/spatial_vector.hpp, so that a recursion is written once for both.
#pragma once

#include "core/spatial/vec3.hpp"

namespace kinloop {

/// Velocity or acceleration [w; vx; vy], or wrench [n; fx; fy], in axes of the plane.
struct PlanarVector {
  Vec3 parts;

  double angular() const noexcept { return parts.x(); }
};

/// A vector of the plane from one point to another, kept as what a unit of turning moves the other: [0; -ry; rx].
struct PlanarArm {
  Vec3 turned;

  PlanarArm& operator+=(const PlanarArm& b) noexcept {
    turned += b.turned;
    return *this;
  }
};

inline PlanarVector operator+(const PlanarVector& a, const PlanarVector& b) noexcept { return {a.parts + b.parts}; }
inline PlanarVector operator-(const PlanarVector& a, const PlanarVector& b) noexcept { return {a.parts - b.parts}; }
inline PlanarVector operator-(const PlanarVector& a) noexcept { return {-a.parts}; }
inline PlanarVector operator*(double s, const PlanarVector& a) noexcept { return {s * a.parts}; }
inline double dot(const PlanarVector& a, const PlanarVector& b) noexcept { return dot(a.parts, b.parts); }

inline PlanarArm operator+(const PlanarArm& a, const PlanarArm& b) noexcept { return {a.turned + b.turned}; }
inline PlanarArm operator-(const PlanarArm& a, const PlanarArm& b) noexcept { return {a.turned - b.turned}; }
inline PlanarArm operator-(const PlanarArm& a) noexcept { return {-a.turned}; }

/// Moves a velocity or acceleration from a point to the point r further on the same body.
inline PlanarVector shift_motion(const PlanarVector& motion, const PlanarArm& r) noexcept {
  return {fused(motion.angular(), r.turned, motion.parts)};
}

/// Moves a wrench to a point from which its own lies at r.
inline PlanarVector shift_force(const PlanarVector& wrench, const PlanarArm& r) noexcept {
  const Lanes4 moment = everywhere(dot(r.turned, wrench.parts));
  return {wrench.parts + Vec3(__builtin_shufflevector(moment, Lanes4{}, 0, 5, 6, 7))};
}

}  // namespace kinloop
