// Kinematics, loop constraints, forces, then the formulation.
#include "core/dynamics/forward_dynamics.hpp"

#include "core/kinematics/forward_kinematics.hpp"
#include "core/kinematics/loop_constraints.hpp"

namespace kinloop {

StepStatus accelerations(const Model& model, const double* q, const double* v, double time_s, const Loads& loads,
                         Dynamics& dynamics, Workspace& ws) noexcept {
  update_kinematics(model, q, v, time_s, ws);
  if (model.has_loops()) update_loop_constraints(model, q, v, ws);
  add_forces(model, q, v, loads, ws);
  return dynamics.solve(model, ws);
}

}  // namespace kinloop
