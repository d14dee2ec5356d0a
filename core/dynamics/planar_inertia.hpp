// Owns PlanarInertia: the inertia of recursions in a plane, three by three (003), with the operations of
// articulated_inertia.hpp.
//
// With t = [0; -ry; rx] of an arm the shift X(r) is 1 + t e0^T, so that a congruence is two sums of vectors.
#pragma once

#include "core/dynamics/articulated_inertia.hpp"
#include "core/kinematics/motion_view.hpp"

namespace kinloop {

/// Symmetric: momentum [n; px; py] of a motion [w; vx; vy].
struct PlanarInertia {
  Mat3 H;
};

namespace planar {

/// [a; 0; 0].
inline Vec3 first(double a) noexcept { return Vec3(__builtin_shufflevector(everywhere(a), Lanes4{}, 0, 5, 6, 7)); }

/// Of a rigid body: moment of inertia, mass, and [0; -m cy; m cx].
inline PlanarInertia rigid(double J, double m, const Vec3& mc) noexcept {
  const Lanes4 mass = everywhere(m);
  const Lanes4 x = __builtin_shufflevector(mass, Lanes4{}, 4, 1, 6, 7);
  const Lanes4 y = __builtin_shufflevector(mass, Lanes4{}, 4, 5, 2, 7);
  return {Mat3(mc + first(J), Vec3(__builtin_shufflevector(everywhere(mc.y()), x, 0, 5, 6, 7)),
               Vec3(__builtin_shufflevector(everywhere(mc.z()), y, 0, 5, 6, 7)))};
}

}  // namespace planar

inline PlanarVector operator*(const PlanarInertia& h, const PlanarVector& A) noexcept { return {h.H * A.parts}; }

inline void add(PlanarInertia& sum, const PlanarInertia& h) noexcept { sum.H = sum.H + h.H; }

/// h += a b^T + b a^T.
inline void add_symmetric(PlanarInertia& h, const PlanarVector& a, const PlanarVector& b) noexcept {
  for (int i = 0; i < 3; ++i) {
    Vec3& column = h.H.c[at(i)];
    column = fused(b.parts[i], a.parts, fused(a.parts[i], b.parts, column));
  }
}

/// h -= a b^T.
inline void subtract_outer(PlanarInertia& h, const PlanarVector& a, const PlanarVector& b) noexcept {
  subtract_outer(h.H, a.parts, b.parts);
}

/// h -= a a^T.
inline void subtract_square(PlanarInertia& h, const PlanarVector& a) noexcept { subtract_outer(h, a, a); }

/// X(r)^T h X(r) = h + e0 p^T + p e0^T + e0 (t . p) e0^T with p = h t.
inline PlanarInertia shifted(const PlanarInertia& h, const PlanarArm& r) noexcept {
  const Vec3& t = r.turned;
  const Vec3 p = fused(t.z(), h.H.c[2], t.y() * h.H.c[1]);
  return {Mat3(h.H.c[0] + p + planar::first(p.x() + dot(t, p)), h.H.c[1] + planar::first(p.y()),
               h.H.c[2] + planar::first(p.z()))};
}

/// Of a body by itself, at x_k.
inline SpatialInertia body_inertia(const SpatialView& view, int body, double mass) noexcept {
  return rigid_inertia(mass, view.workspace().load[at(body)]);
}
inline PlanarInertia body_inertia(const PlanarView& view, int body, double mass) noexcept {
  const MotionPlane& plane = view.plane();
  return planar::rigid(plane.inertia(body), mass, plane.arm(view.workspace().load[at(body)].mc).turned);
}

/// The same at the point from which x_k lies at r: J + r . (2 mc + m r).
inline PlanarInertia shifted_body(const PlanarView& view, int body, double mass, const PlanarArm& r) noexcept {
  const MotionPlane& plane = view.plane();
  const Vec3 mc = plane.arm(view.workspace().load[at(body)].mc).turned;
  const Vec3 moved = fused(mass, r.turned, mc);
  return planar::rigid(plane.inertia(body) + dot(r.turned, mc + moved), mass, moved);
}

}  // namespace kinloop
