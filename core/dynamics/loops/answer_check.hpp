// Owns AnswerCheck: whether accelerations are those that the loop constraints and the laws of motion ask for; O(n + m).
//
// Two numbers, since each is blind to what the other sees:
//   constraint_error   what the rows of all loop constraints miss, against the accelerations they compare. Sees a row
//                      that was dropped.
//   change             what one step of iterative refinement would change, against the accelerations. Sees digits lost
//                      to a poor basis: its answer keeps the constraints and is wrong all the same.
// Both are measured along the file's tree from vdot alone, so that nothing a formulation keeps to itself can hide.
#pragma once

#include <vector>

#include "core/dynamics/forward_dynamics.hpp"

namespace kinloop {

class AnswerCheck {
 public:
  explicit AnswerCheck(const Model& model);

  /// The share that loop constraints miss at most; needs ws.vdot and ws.A. No allocation.
  double constraint_error(const Model& model, const Workspace& ws) noexcept;
  /// What it found last.
  double missed() const noexcept { return worst_; }
  /// The loop joint, then coupling, that misses most.
  int worst_loop() const noexcept { return worst_loop_; }

  /// The share by which refinement with the formulation's factors would change vdot; after constraint_error() of the
  /// same answer.
  double change(const Model& model, const Workspace& ws, Dynamics& dynamics) noexcept;
  /// Takes that change into vdot and A.
  void apply_change(const Model& model, Workspace& ws) const noexcept;

  /// What loop constraints may miss at a state that is not closed: rows that depend on each other at closed positions
  /// contradict each other by about as much as the state is open.
  static double allowed(const Workspace& ws) noexcept;

 private:
  /// What the loop constraints shall move by.
  void find_gap(const Model& model, const Workspace& ws) noexcept;

  double length_m_;
  double floor_;  // accelerations below this count as none: 1 / s^2
  int worst_loop_ = -1;
  double worst_ = 0.0;  // that the last constraint_error() found
  // Per closing joint of constant directions, in its axes: 1 along the angles that it blocks, 1 / length along
  // distances.
  std::vector<SpatialVector> blocked_;
  VectorX missed_by_couplings_;
  ConstraintTarget gap_;
  std::vector<SpatialVector> force_;
  VectorX tau_, change_;
};

}  // namespace kinloop
