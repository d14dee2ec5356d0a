// Owns PointPair: two points of two bodies and the line between them, and forces that act at both.
#pragma once

#include <cmath>

#include "core/base/at.hpp"
#include "core/forces/element_tangent.hpp"
#include "core/forces/force_slopes.hpp"
#include "core/kinematics/workspace.hpp"

namespace kinloop {

struct PointPair {
  int body_a = 0, body_b = 0;
  Vec3 arm_a, arm_b;  // from the reference points, world axes
  Vec3 a_to_b;
  double length_m = 0.0;
};

/// The points are given in the bodies' reference frames.
inline PointPair point_pair(int body_a, const Vec3& point_a, int body_b, const Vec3& point_b,
                            const Workspace& ws) noexcept {
  const BodyMotion& a = ws.motion[at(body_a)];
  const BodyMotion& b = ws.motion[at(body_b)];
  PointPair pair{body_a, body_b, a.R * point_a, b.R * point_b, {}, 0.0};
  pair.a_to_b = (b.x - a.x) + (pair.arm_b - pair.arm_a);
  pair.length_m = std::sqrt(dot(pair.a_to_b, pair.a_to_b));
  return pair;
}

/// Of b against a.
inline Vec3 relative_velocity(const PointPair& pair, const Workspace& ws) noexcept {
  const BodyMotion& a = ws.motion[at(pair.body_a)];
  const BodyMotion& b = ws.motion[at(pair.body_b)];
  return (b.v + cross(b.w, pair.arm_b)) - (a.v + cross(a.w, pair.arm_a));
}

/// The force acts on one body, its opposite on the other.
inline void add_force_pair(int body, const Vec3& arm, int other, const Vec3& other_arm, const Vec3& force,
                           Workspace& ws) noexcept {
  BodyLoad& load = ws.load[at(body)];
  BodyLoad& other_load = ws.load[at(other)];
  load.f += force;
  load.n += cross(arm, force);
  other_load.f -= force;
  other_load.n -= cross(other_arm, force);
}

/// At a, and its opposite at b.
inline void add_force_pair(const PointPair& pair, const Vec3& force, Workspace& ws) noexcept {
  add_force_pair(pair.body_a, pair.arm_a, pair.body_b, pair.arm_b, force, ws);
}

/// m m^T.
inline Mat3 outer(const Vec3& a, const Vec3& b) noexcept { return {b.x() * a, b.y() * a, b.z() * a}; }
inline Mat3 scaled(double s, const Mat3& m) noexcept { return {s * m.c[0], s * m.c[1], s * m.c[2]}; }

/// Of a tension along the line, which changes by `by_length` and `by_rate`: b is pulled towards a.
inline PairSlope tension_slope(const PointPair& pair, const Vec3& direction, double tension, double by_length,
                               double by_rate, const Workspace& ws) noexcept {
  const Vec3 velocity = relative_velocity(pair, ws);
  const Mat3 along = outer(direction, direction);
  const Mat3 across = scaled(1.0 / pair.length_m, identity3() - along);  // of the direction, by the place of b
  const Vec3 tension_by_place = by_length * direction + by_rate * (across * velocity);
  PairSlope slope;
  slope.body_a = pair.body_a;
  slope.body_b = pair.body_b;
  slope.arm_b = pair.arm_b;
  slope.force = -tension * direction;
  slope.force_by_rate = scaled(-by_rate, along);
  // The velocity is that of the point of b, wherever it goes.
  slope.force_by_place = slope.force_by_rate * skew(ws.motion[at(pair.body_b)].w) - outer(direction, tension_by_place) -
                         scaled(tension, across);
  slope.tension_by_rate = by_rate * direction;
  slope.tension_by_place =
      tension_by_place + by_rate * cross(direction, ws.motion[at(pair.body_b)].w);  // d . (w x e) = (d x w) . e
  return slope;
}

/// Without any stiffness yet.
inline ElementTangent tangent_at(const PointPair& pair) {
  ElementTangent tangent;
  tangent.body_a = pair.body_a;
  tangent.body_b = pair.body_b;
  tangent.arm_a = pair.arm_a;
  tangent.arm_b = pair.arm_b;
  return tangent;
}

}  // namespace kinloop
