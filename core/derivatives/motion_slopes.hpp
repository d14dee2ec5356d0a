// Owns MotionSlopes: how the velocities and accelerations of all bodies change with each coordinate and speed.
//
// All spatial vectors stand in world axes about one point, that of the first body; accelerations are spatial ones
// (Featherstone), minus gravity: the velocity recursion of method II, 003 (28)-(36). A coordinate j that moves by one
// carries all that lies beyond it along by the twist J_j. What this leaves over is the same for every body k beyond it
// (docs/theory/derivatives.md §2):
//
//   d v_k / d q_j = J_j x v_k + psi_j             d a_k / d q_j = J_j x a_k + psi_j x v_k + c_j
//   d v_k / d v_j = J_j                           d a_k / d v_j = J_j x v_k + b_j
#pragma once

#include "core/base/indexed_vector.hpp"
#include "core/derivatives/spatial_cross.hpp"
#include "core/kinematics/workspace.hpp"

namespace kinloop {

struct MotionSlopes {
  explicit MotionSlopes(const Model& model);

  /// From the positions and columns of the workspace, which those of q must be, and these speeds and accelerations.
  /// `gravity` counts where it is wanted. No allocation.
  void update(const Model& model, const double* q, const double* speeds, const double* vdot, const Vec3& gravity,
              const Workspace& ws) noexcept;

  /// Whether moving along speed j carries the column of speed i along.
  bool carries(const Model& model, int j, int i) const noexcept {
    const int of_i = model.coordinate(i).body;
    const int of_j = model.coordinate(j).body;
    if (of_i != of_j) return of_j < of_i;  // asked of speeds on one way to the ground only
    const int first = model.body(of_i).v;
    return (carried[i] >> (j - first) & 1) != 0;
  }

  IndexedVector<Vec3> place;                  // of x_k, from the common point
  IndexedVector<SpatialVector> v, a;          // per body
  IndexedVector<SpatialVector> J, psi, c, b;  // per speed
  IndexedVector<SpatialVector> bend;          // d J_j / d q_j beyond being carried; zero but for cams
  IndexedVector<unsigned char> carried;       // per speed: JointKind::carried

 private:
  void update_body(const Model& model, int k, const double* q, const double* speeds, const double* vdot,
                   const Workspace& ws) noexcept;
};

}  // namespace kinloop
