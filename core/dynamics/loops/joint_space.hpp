// Owns JointSpace: the last part of methods that build the joint-space inertia. Solves M vdot = h on the motions that
// the loops allow, paper 003 §7, and hands out the accelerations.
//
//   [M C^T; C 0] [vdot; -lambda] = [h; gamma]
//
// M = L^T D L along the tree, without fill-in. W = D^-1/2 L^-T C^T = Q R with pivoting: in the coordinates
// D^1/2 L vdot the constraints are the columns of W, so Q splits them into what the loops determine and what is free.
// Never forming C M^-1 C^T = W^T W keeps all digits near singular positions; rows that add nothing are left out.
//
// Rank is decided at closed positions and held, as a number, from there to the end of a step: between, constraints that
// depend on each other only where loops are closed seem independent, and dropping one that is not would be an error of
// the size of the accelerations. Loops are closed by least squares over all rows at that rank.
#pragma once

#include "core/base/status.hpp"
#include "core/constraints/frozen_constraint_rows.hpp"
#include "core/constraints/rank_referee.hpp"
#include "core/constraints/rank_tolerance.hpp"
#include "core/constraints/row_measure.hpp"
#include "core/dynamics/loops/dof_tree.hpp"
#include "core/kinematics/workspace.hpp"

namespace kinloop {

class JointSpace {
 public:
  explicit JointSpace(const Model& model);

  const DofTree& tree() const noexcept { return tree_; }
  /// Inertia (lower triangle along the tree) and right side, per node: to be written before solve().
  MatrixX& M() noexcept { return M_; }
  VectorX& h() noexcept { return h_; }

  /// ws.vdot and ws.A; overwrites M and h. No allocation.
  StepStatus solve(const Model& model, Workspace& ws) noexcept;

  /// See Dynamics.
  void freeze_basis() noexcept { held_ = true; }
  void release_basis() noexcept { held_ = false; }
  bool held() const noexcept { return held_; }

  /// Dynamics::project() and refine() with the factors of the last solve().
  void project(const ConstraintTarget& motion, VectorX& step) noexcept;
  void refine(const VectorX& tau, const ConstraintTarget& gap, VectorX& change) noexcept;

  /// Dynamics::is_singular(): all rows were looked at together.
  bool is_singular() const noexcept { return is_singular_; }

  /// How far the constraints that count are from being dependent or empty, between 0 and 1, and how many count.
  double quality() const noexcept { return quality_; }
  int rank() const noexcept { return qr_.rank(); }
  /// Of the constraints that count, when they were chosen.
  double conditioning() const noexcept { return qr_.smallest_singular_value(); }

 private:
  void factorize_constraints(const Model& model, const Workspace& ws) noexcept;
  void decide_rank(const Model& model, const Workspace& ws) noexcept;
  void factorize_afresh(const Model& model, const Workspace& ws, const RankRule& rule) noexcept;
  double fill_column(const Model& model, const Workspace& ws, Eigen::Index row, Eigen::Index column) noexcept;
  void balance_by_multipliers() noexcept;
  void weigh(VectorX& y) const noexcept;
  enum class Rows { kPivots, kAll };
  void constrained_solve(Rows rows) noexcept;

  bool held_ = false;
  double quality_ = 1.0;
  DofTree tree_;
  MatrixX M_;
  VectorX h_;
  VectorX root_D_;   // D^1/2
  MatrixX C_;        // rows x nv
  VectorX typical_;  // sizes of the rows
  VectorX size_;
  RowMeasure measure_;
  RankReferee referee_;
  PivotedQr qr_;
  ConstraintTarget required_;
  FrozenConstraintRows kept_;
  VectorX gamma_, y_;
  bool is_singular_ = false;
  double least_share_ = 1.0;  // of the pivots when rank was decided
};

}  // namespace kinloop
