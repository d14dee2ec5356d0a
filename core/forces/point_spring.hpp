// Owns the point-to-point spring, damper and force.
#pragma once

#include "core/forces/element_tangent.hpp"
#include "core/kinematics/workspace.hpp"

namespace kinloop {

/// Adds its tension to both bodies. Where the points coincide the line has no direction and nothing is added.
void add_point_spring(const PointSpring& spring, Workspace& ws) noexcept;

/// With its damping; positive pulls the points together. Needs update_kinematics().
double point_spring_tension(const PointSpring& spring, const Workspace& ws) noexcept;

/// The stiffness along the line, and that of a taut string across it.
ElementTangent point_spring_tangent(const PointSpring& spring, const Workspace& ws) noexcept;

double point_spring_energy(const PointSpring& spring, const Workspace& ws) noexcept;

}  // namespace kinloop
