// Owns AccelerationSlopes: the exact derivatives of forward dynamics at a state, open trees and closed loops.
//
//   M a + h = Q + C^T l,   C a = g      is differentiated as a whole, at the accelerations a that a formulation found:
//   M da - C^T dl = -d(M a + h - Q - C^T l)|a,l ,   C da = -d(C a - g)|a
//
// and solved among the motions that the loops allow (docs/theory/derivatives.md §5).
#pragma once

#include <memory>

#include "core/constraints/constraints.hpp"
#include "core/derivatives/inverse_dynamics_slopes.hpp"
#include "core/derivatives/inverse_inertia.hpp"
#include "core/derivatives/loop_slopes.hpp"
#include "core/derivatives/motion_slopes.hpp"
#include "core/forces/load_slopes.hpp"
#include "core/forces/loads.hpp"
#include "core/math/complete_pivot_solve.hpp"

namespace kinloop {

class AccelerationSlopes {
 public:
  /// The model must outlive it.
  explicit AccelerationSlopes(const Model& model);

  /// Which speeds are independent: 1, the others 0; driven ones are neither. As many as the mechanism has dofs.
  void set_independent(const std::vector<char>& independent) noexcept;

  /// Around a state at which accelerations() has filled the workspace. False where loops do not determine the
  /// dependent speeds from the independent ones, or dofs move no inertia. No allocation.
  bool update(const double* q, const double* v, const Loads& loads, const Workspace& ws) noexcept;

  /// For an implicit step, whose accelerations a solve (M + added) a = force: D and the factor of what solve() then
  /// takes for the inertia. Then, with these accelerations in the workspace, differentiate() as update() does, at the
  /// factor there is; `held` is what the step itself adds to the forces that the motion takes. No allocation.
  bool factorize_with(const double* q, const double* v, const MatrixX& added, const Workspace& ws) noexcept;
  void differentiate(const double* q, const double* v, const Loads& loads, const VectorX& held,
                     const Workspace& ws) noexcept;
  /// With what was added to it.
  const MatrixX& inertia() const noexcept { return has_added_ ? W_ : tau_.M(); }

  /// The parts that need positions and velocities only: dofs(), dependents(), loops().rate_by_q(). No allocation.
  bool update_tangent(const double* q, const double* v, const Workspace& ws) noexcept;

  /// da = a_q dq + a_v dv + a_tau dtau, column by column; increments along the speeds. Allocates where it was asked for
  /// another number of columns before, as solve() does.
  void accelerations(const MatrixX& dq, const MatrixX& dv, const MatrixX& dtau, MatrixX& da) noexcept;

  /// The same for a tree of nv dofs, scaled: columns of all coordinates in turn, of all speeds, and those of dtau
  /// alone.
  void unit_accelerations(const MatrixX& dtau, UnitForces forces, double scale, MatrixX& da) noexcept;

  /// x with D^T M x = D^T force, C x = rows, column by column.
  void solve(const MatrixX& force, const MatrixX& rows, MatrixX& x) noexcept;
  /// The same of one column, without allocation.
  void solve(const VectorX& force, const VectorX& rows, VectorX& x) noexcept;

  /// The change of the dependents alone that has C x = rows.
  void dependents(const MatrixX& rows, MatrixX& x) const noexcept;

  /// Of the speeds that the loops leave: column i for the i-th independent, nv rows.
  const MatrixX& dofs() const noexcept { return D_; }
  const std::vector<int>& independents() const noexcept { return independents_; }
  const InverseDynamicsSlopes& forces() const noexcept { return tau_; }
  const LoopSlopes& loops() const noexcept { return loops_; }
  const MotionSlopes& motion() const noexcept { return motion_; }
  const MatrixX& constraints() const noexcept { return C_; }
  /// Rows of the constraints that determine the dependents.
  const std::vector<char>& is_pivot_row() const noexcept { return is_pivot_row_; }
  /// Multipliers l of C^T l = M x, where x is a change that the loops alone make: D^T M x = 0, in the metric of that
  /// inertia M. No allocation.
  void multipliers_of(const MatrixX& inertia, const VectorX& x, VectorX& l) const noexcept;

 private:
  void add_derivatives(const double* q, const double* v, const Loads& loads, const Workspace& ws) noexcept;
  void differentiate_loops(const Workspace& ws) noexcept;
  bool find_dofs(const Workspace& ws) noexcept;
  bool factorize(const Workspace& ws) noexcept;
  void find_multipliers(const Workspace& ws) noexcept;

  bool is_open() const noexcept { return inverse_ != nullptr && !has_added_; }

  const Model& model_;
  std::vector<int> free_;  // speeds that are not driven
  std::vector<int> independents_;
  std::vector<char> is_pivot_row_;
  MotionSlopes motion_;
  InverseDynamicsSlopes tau_;
  LoopSlopes loops_;
  MatrixX C_;
  CompletePivotSolve dependents_;
  MatrixX D_, MD_, L_;
  std::unique_ptr<InverseInertia> inverse_;  // of a tree of which nothing is driven
  MatrixX W_;                                // M + added
  VectorX one_, held_;
  bool has_added_ = false;
  VectorX residual_, multipliers_, at_rest_;
  std::vector<SpatialVector> wrench_;
  // As wide as what was last asked for: memory is taken where that changes.
  MatrixX force_, rows_, particular_, reduced_;
};

}  // namespace kinloop
