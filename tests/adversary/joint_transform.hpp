// Owns what joints do, written a second time from docs/model-format.md: nothing here calls core/joints.
#pragma once

#include <array>

#include "core/model/model_spec.hpp"
#include "tests/adversary/jet.hpp"

namespace kinloop::adversary {

struct JointSize {
  int nq, nv;
  int quaternion;  // offset in q, or -1
};
JointSize joint_size(JointType type);

/// Whether coordinate i is a length, not an angle.
bool slides(const JointSpec& joint, int i);

using Coordinates = std::array<Real, 7>;
using Speeds = std::array<Real, 6>;

/// Frame B in A, with its velocity and its acceleration where all speeds are constant.
PoseJet joint_pose(const JointSpec& joint, const Coordinates& q, const Speeds& u);

/// Velocity [w; v] of B in the axes of A, of the body-fixed point at its origin, per unit of each speed.
Eigen::Matrix<Real, 6, Eigen::Dynamic> joint_columns(const JointSpec& joint, const Coordinates& q);

/// A polynomial with harmonics; tables are not read.
Jet function_value(const FunctionSpec& function, const Jet& x);

/// The coordinates of a joint whose B stands there, or nearest to there.
Coordinates fitted_coordinates(const JointSpec& joint, const PoseR& X_AB);

}  // namespace kinloop::adversary
