// Implements the solution along the tree.
#include "core/dynamics/joint_space.hpp"

#include "core/dynamics/accelerations.hpp"
#include "core/math/tree_factorization.hpp"

namespace kinloop {

StepStatus solve_joint_space(const Model& model, const SpeedTree& tree, MatrixX& M, VectorX& h,
                             Workspace& ws) noexcept {
  if (!factorize_tree(tree.parent, M)) return StepStatus::kSingularMass;
  solve_tree(tree.parent, M, h);
  ws.vdot = ws.prescribed;
  for (int i = 0; i < tree.size(); ++i) ws.vdot[tree.speed[static_cast<std::size_t>(i)]] = h[i];
  update_body_accelerations(model, ws);
  return StepStatus::kOk;
}

}  // namespace kinloop
