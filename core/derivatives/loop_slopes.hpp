// Owns LoopSlopes: the derivatives of what closed loops ask of velocities and accelerations, row by row.
//
// Rows stand in the order of constraint_matrix(): those of every loop joint, then couplings. Where a loop joint has
// directions of its own coordinates (universal, screw, cam), how these change is found by differences of the joint's
// own equations.
#pragma once

#include <vector>

#include "core/derivatives/inverse_dynamics_slopes.hpp"
#include "core/derivatives/motion_slopes.hpp"

namespace kinloop {

class LoopSlopes {
 public:
  explicit LoopSlopes(const Model& model);

  /// Of C vdot - bias at the motion's own vdot, and of C v; needs update_loop_constraints() in the workspace. No
  /// allocation.
  void update(const MotionSlopes& motion, const Workspace& ws) noexcept;

  /// What multipliers, one per row, do to the bodies: subtracted from the inverse dynamics. No allocation.
  void add_forces(const MotionSlopes& motion, const Workspace& ws, const VectorX& multipliers,
                  InverseDynamicsSlopes& sum) noexcept;

  const MatrixX& acceleration_by_q() const noexcept { return acceleration_by_q_; }
  const MatrixX& acceleration_by_v() const noexcept { return acceleration_by_v_; }
  const MatrixX& rate_by_q() const noexcept { return rate_by_q_; }

 private:
  /// How the directions of a loop joint follow a relative motion of its frames, in the axes of A.
  struct Fitted {
    std::array<Eigen::Matrix<double, 6, 6>, 2> G_by_q;  // rows of G, per coordinate
    Eigen::Matrix<double, 6, 6> bias_by_motion;         // of its own bias, by a displacement of B
    Eigen::Matrix<double, 6, 6> bias_by_rate;           // and by a change of the relative velocity
    Eigen::Matrix<double, 2, 6> q_by_motion;
    Eigen::Matrix<double, 6, 2> columns_by_q;  // of H v, per coordinate
    Vector6 free_rate;                         // relative velocity without what is prescribed: along free columns
    Vector6 free_acceleration;                 // relative acceleration likewise, and without the bias
    int dofs = 0;
  };
  Fitted fitted(const LoopJoint& loop, const LoopConstraint& constraint, const MotionSlopes& motion,
                const Workspace& ws) const noexcept;
  void update_loop(const LoopJoint& loop, const LoopConstraint& constraint, const MotionSlopes& motion,
                   const Workspace& ws, int first_row) noexcept;

  const Model& model_;
  MatrixX acceleration_by_q_, acceleration_by_v_, rate_by_q_;
};

}  // namespace kinloop
