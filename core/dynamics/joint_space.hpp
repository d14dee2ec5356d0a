// Owns the last part of methods that build the joint-space inertia: solve M vdot = h, hand out the accelerations.
#pragma once

#include "core/base/status.hpp"
#include "core/dynamics/speed_tree.hpp"
#include "core/dynamics/workspace.hpp"

namespace kinloop {

/// ws.vdot and ws.A from M (lower triangle along the tree) and h, both overwritten. No allocation.
StepStatus solve_joint_space(const Model& model, const SpeedTree& tree, MatrixX& M, VectorX& h, Workspace& ws) noexcept;

}  // namespace kinloop
