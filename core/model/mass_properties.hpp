// Owns mass properties: of simple solids, and of several things rigidly put together.
#pragma once

#include "core/model/model_spec.hpp"

namespace kinloop {

/// Mass, centre of mass and inertia about it, in the axes of one frame.
struct MassProperties {
  double mass = 0.0;
  Vector3 com = Vector3::Zero();
  Matrix3 inertia = Matrix3::Zero();
};

double volume(const ShapeSpec& shape) noexcept;

/// Of the solid shape filled with one material, in the body frame.
MassProperties solid(const ShapeSpec& shape, double density) noexcept;

/// Of both together; the centre of two massless things is that of the first.
MassProperties sum(const MassProperties& a, const MassProperties& b) noexcept;

}  // namespace kinloop
