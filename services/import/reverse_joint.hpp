// Owns the reversal of a joint: the same joint seen from its other body.
#pragma once

#include "core/base/result.hpp"
#include "core/model/model_spec.hpp"

namespace kinloop {

/// The joint with predecessor and successor exchanged, allowing exactly the same motions.
///
/// Fixed, revolute, prismatic, screw, cylindrical and universal joints keep the values of their coordinates (universal
/// ones exchange them), so springs and limits stay valid. Spherical, planar and free joints get the inverse pose as
/// their initial value; planar and free ones are refused if something acts along their coordinates or if they start
/// with a speed, since no coordinate of the reversed joint equals one of the original. Pin-slot and cam joints are no
/// joints of the same type when seen from the other side, and are refused. An error is about the joint's name.
Result<JointSpec> reversed(const JointSpec& joint);

}  // namespace kinloop
