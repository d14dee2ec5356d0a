// Owns the names of the dense vector and matrix types used at interfaces; sweeps use core/spatial/vec3.hpp.
#pragma once

#include <Eigen/Core>

namespace kinloop {

using Vector3 = Eigen::Vector3d;
using Matrix3 = Eigen::Matrix3d;
using Vector6 = Eigen::Matrix<double, 6, 1>;  // angular part first: [w; v] and [n; f]
using Matrix6 = Eigen::Matrix<double, 6, 6>;
using VectorX = Eigen::VectorXd;
using MatrixX = Eigen::MatrixXd;

/// Pose of a frame F in a frame E: p_E = R * p_F + p.
struct Pose {
  Matrix3 R = Matrix3::Identity();
  Vector3 p = Vector3::Zero();
};

inline Pose operator*(const Pose& a, const Pose& b) { return {a.R * b.R, a.p + a.R * b.p}; }

inline Pose inverse(const Pose& a) { return {a.R.transpose(), -(a.R.transpose() * a.p)}; }

/// [r]x, so that skew(r) * a == r.cross(a).
inline Matrix3 skew(const Vector3& r) {
  Matrix3 m;
  m << 0.0, -r.z(), r.y(), r.z(), 0.0, -r.x(), -r.y(), r.x(), 0.0;
  return m;
}

/// X(r) of docs/theory/conventions.md §1: moves a spatial velocity from a point a to b = a + r; forces move from b to a
/// by its transpose.
inline Matrix6 motion_shift(const Vector3& r) {
  Matrix6 X = Matrix6::Identity();
  X.bottomLeftCorner<3, 3>() = -skew(r);
  return X;
}

}  // namespace kinloop
