// Owns descriptions of single free bodies above a plane, to be altered and compiled.
#pragma once

#include "core/model/model_spec.hpp"

namespace kinloop::mechanisms {

/// A body of 2 kg on a free joint, its origin and centre of mass at that height above the ground.
ModelSpec free_body_at(double height_m);

/// The same as a ball of 0.1 m radius, and a firm plane z = 0 of 20 kN/m, without damping or friction.
ModelSpec ball_over_plane(double height_m);

/// A cube of 0.2 m and a firm plane through the origin that rises by `slope_rad` along x; four corners rest on it.
ModelSpec box_on_incline(double slope_rad, double friction);

}  // namespace kinloop::mechanisms
