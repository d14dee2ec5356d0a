// Owns what follows from known accelerations of the speeds: accelerations of bodies, wrenches in joints, forces.
#pragma once

#include <span>
#include <vector>

#include "core/kinematics/workspace.hpp"

namespace kinloop {

/// ws.A from ws.vdot: A^_k = X(r) A^_p + H vdot, where driven speeds do not count (they belong to A_t).
void update_body_accelerations(const Model& model, Workspace& ws) noexcept;

/// The total wrench that the parent exerts on body k through joint k, at x_k, world axes: moment and force.
/// Needs ws.load and ws.A; `wrench` has one entry per body, that of the ground is what the ground carries. `loops` are
/// the wrenches that closing joints exert on their successors, at the origin of B; none where it is empty.
void joint_reactions(const Model& model, const Workspace& ws, std::span<const SpatialVector> loops,
                     std::vector<SpatialVector>& wrench) noexcept;

/// Generalised force along every speed that belongs to ws.vdot: with ws.A up to date this is inverse dynamics.
/// `wrench` comes from joint_reactions(). What drives a driven speed is tau - ws.tau.
void generalized_forces(const Model& model, const Workspace& ws, const std::vector<SpatialVector>& wrench,
                        VectorX& tau) noexcept;

}  // namespace kinloop
