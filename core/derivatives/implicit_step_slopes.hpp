// Owns ImplicitStepSlopes: the derivatives of a step of linearly_implicit, up to the closing of loops.
//
// Whichever way the integrator solves it, a Newton step from p has accelerations a with
//
//   M a + h - Q + K d_q + C d_v = G^T l,   G a = gamma,   d_v = r_v + g a,   d_q = r_q + g d_v      all at p,
//
// which is differentiated as a whole (docs/theory/derivatives.md §6): with the inertia M + g C + g^2 K, by the exact
// slopes of Q, and by how K d_q + C d_v follows p with d held. The last part is small, h v / length of the second; it
// is exact along joints, and for elements between bodies made of differences of K and C alone.
#pragma once

#include "core/derivatives/acceleration_slopes.hpp"
#include "core/derivatives/parameter_forces.hpp"
#include "core/forces/acting_elements.hpp"
#include "core/forces/force_tangent.hpp"
#include "core/forces/load_slopes.hpp"
#include "core/forces/local_tangent.hpp"
#include "core/forces/tangent_force.hpp"
#include "core/integrators/stage.hpp"

namespace kinloop {

/// Where a step was evaluated last, and how that place answers.
struct StageSlopes {
  explicit StageSlopes(const Model& model)
      : q(VectorX::Zero(model.nq())), v(VectorX::Zero(model.nv())), dq(model.nv(), 0), dv(model.nv(), 0) {}

  VectorX q, v;
  double time_s = 0.0;
  MatrixX dq, dv;
};

class ImplicitStepSlopes {
 public:
  explicit ImplicitStepSlopes(const Model& model);

  struct Step {
    const State& before;
    const Loads& loads;
    const LoadSlopes& d_loads;
    double dt_s;
    Dynamics& dynamics;
    ParameterForces* parameters;  // null: none
  };

  /// dq, dv are those at the start of the step, then those at its end, which is `trial`. The past of the state is that
  /// of the steps before, of which it saw all. Allocates where the number of columns changes.
  StepStatus run(const Step& step, AccelerationSlopes& slopes, Workspace& ws, const Trial& start, Trial& trial,
                 StageSlopes& stage, MatrixX& dq, MatrixX& dv) noexcept;

  /// The inertia in whose metric the loops are closed behind it.
  const MatrixX& metric(const AccelerationSlopes& slopes) const noexcept {
    return is_local_ ? slopes.inertia() : slopes.forces().M();
  }
  /// Subtracts how what was added to the inertia follows the last evaluation, times s.
  void subtract_metric(const VectorX& s, const StageSlopes& stage, const LoadSlopes& d_loads,
                       ParameterForces* parameters, MatrixX& force) noexcept;

 private:
  void predict(const Step& step, int past, const Trial& start, Trial& trial, Workspace& ws, const MatrixX& dq,
               const MatrixX& dv) noexcept;
  void find_residual(const Step& step, int past, const Trial& start, const Trial& trial, const StageSlopes& stage,
                     const MatrixX& dq, const MatrixX& dv) noexcept;
  StepStatus accelerate(const Step& step, AccelerationSlopes& slopes, Workspace& ws, const Trial& trial,
                        const StageSlopes& stage) noexcept;
  bool is_local(const Step& step, const Trial& trial, const Workspace& ws) noexcept;
  /// Subtracts how K x + C y of the force elements changes along the columns of the stage, x and y being held.
  void subtract_tangents(const VectorX& x, const VectorX& y, const StageSlopes& stage, MatrixX& force) noexcept;

  const Model& model_;
  std::vector<char> is_coupled_;
  bool has_elements_;  // between bodies
  ForceTangent tangent_;
  LocalTangent local_;
  TangentForce moved_tangents_;
  ActingElements acting_before_, acting_after_;
  Workspace moved_ws_;
  ConstraintTarget required_;
  std::vector<SpatialVector> wrench_;
  double g_s_ = 0.0;
  bool is_local_ = false;
  MatrixX K_, C_, added_matrix_;
  VectorX added_, increment_, r_q_, r_v_, d_q_, d_v_, held_, gamma_, moved_q_, moved_v_, trial_q_, trial_v_, up_, down_,
      back_, change_, no_change_;
  // As wide as what was last asked for.
  MatrixX d_increment_, dr_q_, dr_v_, force_, da_, to_start_, last_dq_, last_dv_, second_dq_, second_dv_;
};

}  // namespace kinloop
