// Owns the constraint rows of a joint: the directions in which it transmits force, and how stiffly.
#pragma once

#include "core/kinematics/workspace.hpp"

namespace kinloop {

/// Matrices of at most 6 rows or columns: fixed storage, no allocation.
using Rows6 = Eigen::Matrix<double, Eigen::Dynamic, 6, Eigen::RowMajor, 6, 6>;
using Columns6 = Eigen::Matrix<double, 6, Eigen::Dynamic, 0, 6, 6>;
using SmallSquare = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 6, 6>;
using SmallVector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 6, 1>;

/// [angular; linear] as one vector, for products with the matrices above.
inline Vector6 stacked(const Vec3& angular, const Vec3& linear) noexcept {
  Vector6 result;
  result << angular.x(), angular.y(), angular.z(), linear.x(), linear.y(), linear.z();
  return result;
}

/// With the relative acceleration dA = A_k - X(r) A_p and the force lambda that the joint takes from body k,
/// G dA = C lambda: a row per direction the joint blocks and per driven speed, both with C = 0, and per speed with a
/// rotor of inertia Ia, whose torque is -Ia times the acceleration, so that C = 1 / Ia.
struct JointRows {
  Rows6 G;
  SmallVector compliance;  // the diagonal of C
  Columns6 W;              // left inverse of the motion columns, transposed: vdot = W^T dA; W tau is tau as a wrench
};

/// The rows of the inboard joint of body k, at x_k in world axes; no allocation.
void update_joint_rows(const Model& model, int k, const Workspace& ws, JointRows& rows) noexcept;

}  // namespace kinloop
