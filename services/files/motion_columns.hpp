// Owns the columns of a motion's CSV: what they are called and what they mean, for those who write it and those who
// read.
#pragma once

#include <string>
#include <vector>

#include "core/model/model.hpp"

namespace kinloop {

enum class MotionQuantity {
  kTime,
  kAngle,
  kPosition,
  kQuaternion,
  kAngularSpeed,
  kSpeed,
  kTorque,
  kForce,
  kEnergy,
  kClosure,  // rad, or lengths of the mechanism; the same per second
};

struct MotionColumn {
  std::string name;  // "q.luff"
  MotionQuantity quantity = MotionQuantity::kTime;
};

/// t, q.<joint>..., u.<joint>..., kinetic_J, potential_J, closure_error and closure_rate where there are loops,
/// drive.<joint>... for driven joints. SI units; joints of several coordinates count them from 0.
std::vector<MotionColumn> motion_columns(const Model& model);

/// "q." and the name of each position coordinate, in the order of q.
std::vector<MotionColumn> position_columns(const Model& model);

}  // namespace kinloop
