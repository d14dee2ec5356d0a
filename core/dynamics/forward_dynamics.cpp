// Kinematics, loop constraints, forces, then the formulation.
#include "core/dynamics/forward_dynamics.hpp"

#include "core/base/at.hpp"
#include "core/kinematics/forward_kinematics.hpp"
#include "core/kinematics/loop_constraints.hpp"

namespace kinloop {

void Dynamics::refine_bodies(const Model& model, const Workspace& ws, std::vector<SpatialVector>& force, VectorX& tau,
                             const ConstraintTarget& gap, VectorX& change) noexcept {
  for (int k = model.body_count() - 1; k > 0; --k) {  // leaves first: a joint moves all that lies beyond it
    const BodyConstants& body = model.body(k);
    const auto i = static_cast<std::size_t>(k);
    for (int s = body.v; s < body.v + body.nv; ++s) {
      const auto column = static_cast<std::size_t>(s);
      tau[s] += dot(ws.Hw[column], force[i].angular) + dot(ws.Hv[column], force[i].linear);
    }
    SpatialVector& parent = force[at(body.parent)];
    parent = parent + shift_force(force[i], ws.motion[i].r);
  }
  for (const int i : model.driven_speeds()) tau[i] = 0.0;
  refine(tau, gap, change);
}

StepStatus accelerations(const Model& model, const double* q, const double* v, double time_s, const Loads& loads,
                         Dynamics& dynamics, Workspace& ws) noexcept {
  update_kinematics(model, q, v, time_s, ws);
  if (model.has_loops()) update_loop_constraints(model, q, v, time_s, ws);
  add_forces(model, q, v, loads, ws);
  return dynamics.solve(model, ws);
}

}  // namespace kinloop
