// Owns the joint-space mass matrix: composite bodies, O(n depth).
#pragma once

#include <vector>

#include "core/kinematics/composite_inertia.hpp"

namespace kinloop {

/// Both triangles of M, driven speeds included, armature on the diagonal. Needs update_kinematics(). No allocation:
/// M is nv x nv, `composite` has one entry per body.
void mass_matrix(const Model& model, const Workspace& ws, std::vector<CompositeInertia>& composite,
                 MatrixX& M) noexcept;

/// What the loads of ws.load do along every speed with the loops open: vdot would be M^-1 (tau + this). `wrench` has
/// one entry per body. No allocation.
void sum_loads(const Model& model, const Workspace& ws, std::vector<SpatialVector>& wrench, VectorX& force) noexcept;

/// mass_matrix() with memory of its own; resizes M.
void mass_matrix(const Model& model, const Workspace& ws, MatrixX& M);

}  // namespace kinloop
