// Owns LoopConstraint: one closing joint at a state, its errors and what it asks of the accelerations.
#pragma once

#include <vector>

#include "core/joints/subspaces.hpp"

namespace kinloop {

/// What the drives of a closing joint want of B against A; world axes, at the origin of B.
struct PrescribedMotion {
  SpatialVector velocity, acceleration;
  std::array<SpatialVector, 6> H;  // motion column of each drive
};

/// World axes, at the origin of frame B, which sits on the successor; frame A sits on the predecessor.
struct LoopConstraint {
  Vec3 arm_pred, arm_succ;  // from x_P and from x_S to the origin of B
  Mat3 R_WA;
  SpatialVector error;  // rotation vector and distance from where the joint would place B to where B is; its part along
                        // G is what counts
  SpatialVector rate;   // V_S - V_P without what is prescribed: along H the joint's own motion, along G the error of
                        // the velocities
  SpatialVector bias;   // A^_S - A^_P must be this plus any motion along H

  // In the axes of A: the model's, or of the joint's coordinates now. Most readers want a few of them, and memory that
  // is written for every loop is what a long mechanism waits for, so they are turned when they are read.
  const JointSubspaces* constant = nullptr;
  std::vector<JointSubspaces> fitted;        // one, or none where they are constant
  std::vector<PrescribedMotion> prescribed;  // one, or none where no coordinate is driven

  const JointSubspaces& in_A() const noexcept { return fitted.empty() ? *constant : fitted[0]; }
  int rows() const noexcept { return in_A().rows; }
  SpatialVector H(int i) const noexcept { return rotated(R_WA, in_A().H[static_cast<std::size_t>(i)]); }
  /// G(i) . rate = 0 for velocities of the body-fixed points at the origin of B.
  SpatialVector G(int i) const noexcept { return rotated(R_WA, in_A().G[static_cast<std::size_t>(i)]); }
};

/// Part of a relative motion that the joint blocks, as rotation and distance.
SpatialVector blocked_part(const LoopConstraint& constraint, double length_m, const SpatialVector& motion) noexcept;

}  // namespace kinloop
