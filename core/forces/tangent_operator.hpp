// Owns TangentOperator: stiffness and damping of force elements as products with vectors, without a matrix.
#pragma once

#include <vector>

#include "core/base/indexed_vector.hpp"
#include "core/forces/tangent_sum.hpp"

namespace kinloop {

/// The same as ForceTangent in O(n + elements). For analysis: it allocates.
class TangentOperator final : public TangentSum {
 public:
  explicit TangentOperator(const Model& model);

  void add(const Model& model, const ElementTangent& element, const Workspace& ws) noexcept override;
  void add_along(int speed, const JointTangent& tangent) noexcept override;

  enum class Part { kStiffness, kDamping };
  /// K x or C x, with the columns of the workspace that the elements were added with.
  VectorX times(Part part, const Model& model, const Workspace& ws, const VectorX& x) const;

 private:
  std::vector<ElementTangent> elements_;
  VectorX along_K_, along_C_;
};

}  // namespace kinloop
