// Products of spatial inertias with motions, and sums of outer products, as segments need them.
#pragma once

#include "core/base/at.hpp"
#include "core/dynamics/joint_rows.hpp"
#include "core/dynamics/planar_inertia.hpp"

namespace kinloop::rcr {

inline SpatialVector operator*(const SpatialInertia& h, const SpatialVector& A) noexcept {
  return {h.J * A.angular + kinloop::transposed_times(h.L, A.linear), h.L * A.angular + h.M * A.linear};
}

/// m + a b^T + c d^T.
inline void add_outer(Mat3& m, const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) noexcept {
  for (int i = 0; i < 3; ++i) m.c[at(i)] += a * b[i] + c * d[i];
}

/// h += a b^T + b a^T.
inline void add_symmetric(SpatialInertia& h, const SpatialVector& a, const SpatialVector& b) noexcept {
  add_outer(h.J, a.angular, b.angular, b.angular, a.angular);
  add_outer(h.L, a.linear, b.angular, b.linear, a.angular);
  add_outer(h.M, a.linear, b.linear, b.linear, a.linear);
}

/// h -= a a^T.
inline void subtract_square(SpatialInertia& h, const SpatialVector& a) noexcept {
  subtract_outer(h.J, a.angular, a.angular);
  subtract_outer(h.L, a.linear, a.angular);
  subtract_outer(h.M, a.linear, a.linear);
}

inline void add_matrix(const Matrix6& m, SpatialInertia& h) noexcept {
  h.J = h.J + Mat3(Matrix3(m.topLeftCorner<3, 3>()));
  h.L = h.L + Mat3(Matrix3(m.bottomLeftCorner<3, 3>()));
  h.M = h.M + Mat3(Matrix3(m.bottomRightCorner<3, 3>()));
}

/// shifted() of a body's own inertia, whose blocks are known by a vector and a number: with d = mc + m r / 2,
/// S = -[r]x [d]x = (r . d) 1 - d r^T. Not by parallel_axis(), which rounds its sums in another order.
inline SpatialInertia shifted_rigid(double m, const BodyLoad& load, const Vec3& r) noexcept {
  const Vec3 d = load.mc + (0.5 * m) * r;
  Mat3 J = load.J + diagonal3(2.0 * dot(r, d));
  subtract_outer(J, d, r);
  subtract_outer(J, r, d);
  return {J, skew(-(load.mc + m * r)), diagonal3(m)};
}

inline void add_matrix(const Matrix3& m, PlanarInertia& h) noexcept { h.H = h.H + Mat3(m); }

inline SpatialInertia shifted_body(const SpatialView& view, int body, double mass, const Vec3& r) noexcept {
  return shifted_rigid(mass, view.workspace().load[at(body)], r);
}

/// Vectors as Eigen has them, for products with the blocks of RcrWorkspace::cross.
inline Vector6 dense(const SpatialVector& a) noexcept { return stacked(a.angular, a.linear); }
inline Vector3 dense(const PlanarVector& a) noexcept { return a.parts.eigen(); }
/// K a and K^T a.
inline SpatialVector times(const Matrix6& K, const SpatialVector& a) noexcept {
  const Vector6 b = K * dense(a);
  return {Vec3(b[0], b[1], b[2]), Vec3(b[3], b[4], b[5])};
}
inline PlanarVector times(const Matrix3& K, const PlanarVector& a) noexcept { return {Vec3(Vector3(K * dense(a)))}; }
inline SpatialVector transposed_times(const Matrix6& K, const SpatialVector& a) noexcept {
  const Vector6 b = K.transpose() * dense(a);
  return {Vec3(b[0], b[1], b[2]), Vec3(b[3], b[4], b[5])};
}
inline PlanarVector transposed_times(const Matrix3& K, const PlanarVector& a) noexcept {
  return {Vec3(Vector3(K.transpose() * dense(a)))};
}

/// X(r).
inline Matrix6 dense_shift(const Vec3& r) noexcept { return motion_shift(r.eigen()); }
inline Matrix3 dense_shift(const PlanarArm& r) noexcept {
  Matrix3 X = Matrix3::Identity();
  X.col(0) += r.turned.eigen();
  return X;
}

}  // namespace kinloop::rcr
