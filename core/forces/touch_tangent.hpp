// Owns the stiffness and damping of what acts on one side only, as if all of it acted.
#pragma once

#include "core/forces/force_tangent.hpp"

namespace kinloop {

/// Adds every contact and every rope as if it touched and were taut; false where a model has none. Needs
/// update_kinematics() of the same q and v.
bool add_touch_tangents(const Model& model, const double* q, const double* v, const Workspace& ws, ForceTangent& sum);

}  // namespace kinloop
