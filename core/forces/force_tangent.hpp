// Owns ForceTangent: stiffness and damping matrix of all force elements along the speeds, for implicit steps.
#pragma once

#include <vector>

#include "core/forces/tangent_sum.hpp"

namespace kinloop {

/// K and C are symmetric and positive semi-definite: derivatives of the directions in which elements act, and
/// elements of negative stiffness, are left out.
class ForceTangent final : public TangentSum {
 public:
  explicit ForceTangent(const Model& model);

  /// Needs update_kinematics() of the same q and v. No allocation.
  void update(const Model& model, const double* q, const double* v, const Workspace& ws) noexcept;

  void add(const Model& model, const ElementTangent& element, const Workspace& ws) noexcept override;
  void add_along(int speed, const JointTangent& tangent) noexcept override;

  const MatrixX& K() const noexcept { return K_; }
  const MatrixX& C() const noexcept { return C_; }

 private:
  std::size_t column_of(int speed) noexcept;
  void add_columns(const Model& model, int body, Vec3 arm, double sign, const Workspace& ws) noexcept;

  bool is_zero_;  // no element of the model has any stiffness or damping
  MatrixX K_, C_;
  VectorX along_K_, along_C_;  // of what acts along single speeds
  // Of one element: the speeds that move one of its bodies, and how they do.
  int count_ = 0;
  std::vector<int> speeds_;
  std::vector<int> place_;  // speed -> place in the lists, or -1
  std::vector<Vec3> linear_, angular_;
};

}  // namespace kinloop
