// Owns the bushing: a linear spring and damper in all six directions between two frames.
#pragma once

#include "core/forces/element_tangent.hpp"
#include "core/forces/force_slopes.hpp"
#include "core/kinematics/workspace.hpp"

namespace kinloop {

/// Adds its wrench to both bodies, in the axes of A: force -k d - c d', with d the position of B in A; moment of the
/// energy k_r rho^2 / 2, minus c_r w, with rho the rotation vector of B relative to A. For rotations below half a turn.
void add_bushing(const Bushing& bushing, Workspace& ws) noexcept;

/// Both stiffnesses turned to world axes; that of the rotation as if its deflection were small.
ElementTangent bushing_tangent(const Bushing& bushing, const Workspace& ws) noexcept;

PairSlope bushing_slope(const Bushing& bushing, const Workspace& ws) noexcept;

double bushing_energy(const Bushing& bushing, const Workspace& ws) noexcept;

}  // namespace kinloop
