// Owns Closure: one closing joint at a state, its errors and what it asks of the accelerations.
#pragma once

#include "core/joints/directions.hpp"

namespace kinloop {

/// World axes, at the origin of frame B, which sits on the successor; frame A sits on the predecessor.
struct Closure {
  Vec3 arm_pred, arm_succ;     // from x_P and from x_S to the origin of B
  JointDirections directions;  // G[i] . (V_S - V_P) = 0 for velocities of the body-fixed points at the origin of B
  Pair error;                  // rotation vector and distance from where the joint would place B to where B is;
                               // its part along G is what counts
  Pair rate;                   // V_S - V_P: along H the joint's own motion, along G the error of the velocities
  Pair bias;                   // A^_S - A^_P must be this plus any motion along H
};

/// Part of a relative motion that the joint blocks, as rotation and distance.
Pair blocked_part(const JointDirections& directions, double length_m, const Pair& motion) noexcept;

}  // namespace kinloop
