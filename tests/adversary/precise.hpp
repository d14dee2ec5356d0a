// Owns the numbers of the judge: three more digits than what it judges, and poses of them.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>

#include "core/spatial/types.hpp"

namespace kinloop::adversary {

using Real = long double;
using Vector3R = Eigen::Matrix<Real, 3, 1>;
using Matrix3R = Eigen::Matrix<Real, 3, 3>;
using Vector6R = Eigen::Matrix<Real, 6, 1>;
using VectorXR = Eigen::Matrix<Real, Eigen::Dynamic, 1>;
using MatrixXR = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;

/// As Pose: p_E = R * p_F + p.
struct PoseR {
  Matrix3R R = Matrix3R::Identity();
  Vector3R p = Vector3R::Zero();
};

inline PoseR operator*(const PoseR& a, const PoseR& b) { return {a.R * b.R, a.p + a.R * b.p}; }
inline PoseR inverse(const PoseR& a) { return {a.R.transpose(), -(a.R.transpose() * a.p)}; }
inline PoseR precise(const Pose& a) { return {a.R.cast<Real>(), a.p.cast<Real>()}; }
inline Pose rounded(const PoseR& a) { return {a.R.cast<double>(), a.p.cast<double>()}; }

/// The axis of the skew part of a matrix.
inline Vector3R axis_of(const Matrix3R& m) {
  return Real(0.5) * Vector3R(m(2, 1) - m(1, 2), m(0, 2) - m(2, 0), m(1, 0) - m(0, 1));
}

}  // namespace kinloop::adversary
