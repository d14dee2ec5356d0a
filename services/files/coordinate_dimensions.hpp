// Owns what the coordinates of each joint type are: angles, lengths or parts of a quaternion.
#pragma once

#include <vector>

#include "core/model/model_spec.hpp"
#include "services/files/dimension.hpp"

namespace kinloop {

/// The dimensions of all that is said about one speed coordinate.
struct CoordinateDimensions {
  Dimension position;
  Dimension speed;
  Dimension force;
  Dimension stiffness;
  Dimension damping;
  Dimension gear_ratio;
};

/// One per speed coordinate.
std::vector<CoordinateDimensions> coordinate_dimensions(JointType type);

/// One per position coordinate.
std::vector<Dimension> position_dimensions(JointType type);

}  // namespace kinloop
