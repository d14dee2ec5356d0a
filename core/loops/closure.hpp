// Owns Closure: the constraints that one closing joint puts on the relative motion of its two bodies.
//
// Frame A sits on the predecessor, frame B on the successor. A joint lets B move against A along its d motion columns
// H, so a closed loop takes 6 - d freedoms: the relative twist has no part in the orthogonal complement of H. Angular
// and linear parts are compared through one length L of the mechanism: the complement is taken of [Hw; Hv / L], so that
// the rows are pure numbers of size 1 whatever the mechanism's size.
#pragma once

#include <array>

#include "core/dynamics/workspace.hpp"

namespace kinloop {

/// One closing joint at a state. World axes, at the origin of B.
struct Closure {
  int rows = 0;                // 6 - freedoms of the joint
  std::array<double, 7> q{};   // coordinates of the closing joint that come nearest to the actual pose of B in A
  Vec3 rotation_error;         // rotation vector from frame B as the joint at q would place it to the actual B
  Vec3 position_error;         // from its origin to the actual one, m
  Vec3 arm_pred, arm_succ;     // from x_P and from x_S to the origin of B
  std::array<Vec3, 6> Gw, Gv;  // row i: Gw . (w_S - w_P) + Gv . (v_S - v_P) = 0 for velocities at the origin of B
  std::array<double, 6> g{};   // row i of the position error; its rate is row i of the above to first order
};

/// The length that makes angles and distances comparable: mean distance between joints, centres of mass and loop frames
/// inside the bodies, 1 m where all coincide. Does not depend on the state, nor on where the mechanism stands.
double characteristic_length(const Model& model);

/// Needs update_kinematics(). No allocation.
void evaluate_closure(const Model& model, const LoopJoint& loop, double length_m, const Workspace& ws,
                      Closure& out) noexcept;

/// x_b - x_a, summed along the tree so that it is as accurate far from the origin as near it.
Vec3 between_bodies(const Model& model, const Workspace& ws, int a, int b) noexcept;

}  // namespace kinloop
