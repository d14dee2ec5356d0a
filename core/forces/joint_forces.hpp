// Owns what acts along a single joint coordinate: spring, damper, dry friction, end stops.
#pragma once

#include "core/model/model.hpp"

namespace kinloop {

/// Generalised force at position q (ignored for the speeds of a quaternion) and speed u.
double joint_force(const CoordinateConstants& c, double q, double u) noexcept;

/// Energy stored in the spring and in the end stops.
double joint_energy(const CoordinateConstants& c, double q) noexcept;

}  // namespace kinloop
