// Owns the contact of points with planes: where they touch, and what each does to the two bodies.
#pragma once

#include "core/forces/element_tangent.hpp"
#include "core/forces/force_slopes.hpp"
#include "core/kinematics/workspace.hpp"

namespace kinloop {

/// Where a point of a contact is, and what its plane does to it; world axes.
struct Touch {
  double depth_m = 0.0;  // below the plane; negative above it, and then there is no force
  Vector3 point = Vector3::Zero();
  Vector3 force = Vector3::Zero();  // on the body of the contact; that of the plane feels the opposite
};

/// For drawings and for those who measure. Needs update_kinematics().
Touch touch_of(const Model& model, const ContactPoint& point, const Workspace& ws) noexcept;

/// What all planes do to the contact with this index in spec().contacts; world axes. Needs update_kinematics().
Vector3 contact_force(const Model& model, int contact, const Workspace& ws) noexcept;

/// Whether the point is below its plane; needs positions only.
bool touches(const Model& model, const ContactPoint& point, const Workspace& ws) noexcept;

/// Adds the force to both bodies.
void add_contact(const Model& model, const ContactPoint& point, Workspace& ws) noexcept;

/// Friction counts with its secant, as that of joints does.
ElementTangent contact_tangent(const Model& model, const ContactPoint& point, const Workspace& ws) noexcept;

/// Zero for a point that does not touch.
PairSlope contact_slope(const Model& model, const ContactPoint& point, const Workspace& ws) noexcept;

double contact_energy(const Model& model, const ContactPoint& point, const Workspace& ws) noexcept;

}  // namespace kinloop
