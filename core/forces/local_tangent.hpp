// Owns LocalTangent: stiffness and damping of what acts along a single speed, for implicit steps in O(n).
#pragma once

#include <vector>

#include "core/kinematics/workspace.hpp"

namespace kinloop {

/// Springs, dampers, friction and stops of joints; springs and bushings between neighbours whose joint has one speed.
class LocalTangent {
 public:
  explicit LocalTangent(const Model& model);

  /// Along every speed; neither is negative. False where another element acts too: a taut rope, a contact that touches,
  /// a spring or bushing between other bodies. Needs update_kinematics() of the same q and v. No allocation.
  bool update(const Model& model, const double* q, const double* v, const Workspace& ws) noexcept;

  const VectorX& stiffness() const noexcept { return stiffness_; }
  const VectorX& damping() const noexcept { return damping_; }

 private:
  bool is_local_ = true;
  VectorX stiffness_, damping_;
};

}  // namespace kinloop
