// Owns the pose a joint gives its frames, for start-up code that works on a ModelSpec.
#pragma once

#include <vector>

#include "core/model/model_spec.hpp"

namespace kinloop {

/// Pose of frame B in frame A at the coordinates q; empty q means zero with identity rotation.
/// Precondition: not a cam, whose pose needs its profile.
Pose joint_pose(JointType type, double pitch, const std::vector<double>& q);

/// The coordinates whose pose comes nearest to X_AB. Precondition: not a cam.
std::vector<double> joint_coordinates(JointType type, double pitch, const Pose& X_AB);

}  // namespace kinloop
