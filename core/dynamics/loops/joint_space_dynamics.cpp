// Builds, solves, and reports where the basis was decided.
#include "core/dynamics/loops/joint_space_dynamics.hpp"

namespace kinloop {

StepStatus JointSpaceDynamics::solve(const Model& model, Workspace& ws) noexcept {
  builder_->build(model, ws, space_);
  const StepStatus status = space_.solve(model, ws);
  if (status == StepStatus::kOk && !space_.held()) {
    watch_rank(space_.rank());
    report_.quality = space_.quality();
    report_.conditioning = space_.conditioning();
  }
  return status;
}

}  // namespace kinloop
