// Owns what the speeds of each joint type are: of an angle or of a length.
#pragma once

#include <span>

#include "core/joints/joint_type.hpp"

namespace kinloop {

enum class SpeedKind { kAngle, kLength };

/// One per speed of the joint; a scalar coordinate is what its speed is the rate of.
std::span<const SpeedKind> speed_kinds(JointType type) noexcept;

}  // namespace kinloop
