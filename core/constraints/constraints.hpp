// Owns the rows of all loop joints and couplings as one dense system over the speeds of the tree: C v = 0.
#pragma once

#include "core/kinematics/workspace.hpp"

namespace kinloop {

/// Rows of all loop joints (6 - dofs each, one more for each drive) and couplings (1 each), in that order.
int constraint_rows(const Model& model) noexcept;

/// C, constraint_rows x nv. Needs update_loop_constraints(). No allocation.
void constraint_matrix(const Model& model, const Workspace& ws, MatrixX& C) noexcept;

/// A relative motion for every closing joint and coupling: what their constraints shall become.
struct ConstraintTarget {
  explicit ConstraintTarget(const Model& model);

  std::vector<SpatialVector> loop;  // A^_S - A^_P up to motions along H; at the origin of B
  VectorX coupling;                 // of the dependent coordinate minus ratio times the other
  bool is_zero = false;             // all of it is: whoever can saves the work
};

/// The accelerations that keep the loops closed.
void required_acceleration(const Workspace& ws, ConstraintTarget& out) noexcept;
/// The steps that close them: minus the errors of the positions. Only what the joints block now, since the factors of a
/// state before would take their free motion since then for an error.
void position_correction(const Model& model, const Workspace& ws, ConstraintTarget& out) noexcept;
/// Minus the errors of the velocities, likewise.
void velocity_correction(const Model& model, const Workspace& ws, ConstraintTarget& out) noexcept;

/// Row by row: G . motion.
void constraint_values(const Model& model, const Workspace& ws, const ConstraintTarget& motion, VectorX& out) noexcept;

}  // namespace kinloop
