// Owns the question whether anything acts along a joint's coordinates, which only a joint of the tree can keep.
#pragma once

#include <algorithm>

#include "core/model/model_spec.hpp"

namespace kinloop {

inline bool carries_load(const JointSpec& joint) {
  return std::any_of(joint.coordinates.begin(), joint.coordinates.end(), [](const CoordinateSpec& c) {
    return c.stiffness != 0.0 || c.damping != 0.0 || c.dry_friction != 0.0 || c.rotor_inertia != 0.0 || c.limit ||
           c.motion;
  });
}

}  // namespace kinloop
