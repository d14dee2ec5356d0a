// Owns TangentForce: K x + C y of all force elements, without a matrix.
#pragma once

#include <vector>

#include "core/forces/tangent_sum.hpp"
#include "core/spatial/types.hpp"

namespace kinloop {

/// The same K and C as those of ForceTangent, in O(n + elements).
class TangentForce final : public TangentSum {
 public:
  explicit TangentForce(const Model& model);

  /// Needs update_kinematics() of the same q and v. No allocation.
  void update(const Model& model, const double* q, const double* v, const VectorX& x, const VectorX& y,
              const Workspace& ws) noexcept;
  /// The same of elements between bodies alone.
  void update_elements(const Model& model, const double* q, const double* v, const VectorX& x, const VectorX& y,
                       const Workspace& ws) noexcept;
  const VectorX& value() const noexcept { return value_; }

  void add(const Model& model, const ElementTangent& element, const Workspace& ws) noexcept override;
  void add_along(int speed, const JointTangent& tangent) noexcept override;

 private:
  void move_bodies(const Model& model, const VectorX& x, const VectorX& y, const Workspace& ws) noexcept;
  void collect_forces(const Model& model, const Workspace& ws) noexcept;

  const VectorX* x_ = nullptr;  // during update()
  const VectorX* y_ = nullptr;
  bool has_elements_ = false;
  std::vector<SpatialVector> place_, rate_, force_;  // per body: moved by x, by y; what acts on it
  VectorX value_;
};

}  // namespace kinloop
