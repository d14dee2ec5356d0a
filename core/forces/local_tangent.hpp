// Owns LocalTangent: stiffness and damping of what acts along the speeds of single joints, for implicit steps in O(n).
#pragma once

#include <optional>
#include <span>

#include "core/base/indexed_vector.hpp"
#include "core/forces/tangent_sum.hpp"

namespace kinloop {

/// Of a joint with several speeds.
struct JointBlock {
  int body = 0;
  int first = 0, speeds = 0;
  Matrix6 stiffness = Matrix6::Zero(), damping = Matrix6::Zero();  // their first rows and columns
  bool is_full = false;  // whether an element couples the speeds: all else is on the diagonal
};

/// Springs, dampers, friction and stops of joints; springs, bushings, ropes and contacts between neighbours, the ground
/// and what stands on it included: what moves such an element are the speeds of the one joint between them.
class LocalTangent final : public TangentSum {
 public:
  explicit LocalTangent(const Model& model);

  /// False where an element acts between other bodies, or on a winch. Needs update_kinematics() of the same q and v.
  /// No allocation.
  bool update(const Model& model, const double* q, const double* v, const Workspace& ws) noexcept;

  /// Along every speed; neither is negative.
  const VectorX& stiffness() const noexcept { return stiffness_; }
  const VectorX& damping() const noexcept { return damping_; }
  /// The same with what couples the speeds of a joint.
  std::span<const JointBlock> blocks() const noexcept { return blocks_; }

  void add(const Model& model, const ElementTangent& element, const Workspace& ws) noexcept override;
  void add_along(int speed, const JointTangent& tangent) noexcept override;

 private:
  bool is_local_ = true;
  VectorX stiffness_, damping_;
  IndexedVector<JointBlock> blocks_;
  IndexedVector<int> block_of_;  // body -> place among the blocks, or -1
};

/// An element between bodies that are no neighbours, or on a winch.
struct FarElement {
  int body_a = 0, body_b = 0;
  bool is_one_sided = false;  // a contact or rope: only where it acts
};
/// The first of them; what acts on one side only counts as if it acted. Needs update_kinematics() of the same q and v.
std::optional<FarElement> far_element(const Model& model, const double* q, const double* v, const Workspace& ws);

/// The body whose inboard joint is all that lies between a and b; -1: there is more or less.
int body_between(const Model& model, int a, int b) noexcept;

}  // namespace kinloop
