// Evaluates the model once, at its initial state.
#include "services/cli/check_report.hpp"

#include <cmath>

#include "core/dynamics/kinematics.hpp"

namespace kinloop::cli {

CheckReport check_model(const Model& model) {
  const State state(model);
  Workspace ws(model);
  Constraints constraints(model);
  update_kinematics(model, state, ws);
  evaluate_constraints(model, state.q().data(), ws, constraints);

  CheckReport report;
  report.constraint_rows = constraint_rows(model);
  report.rank = constraint_rank(model, ws, constraints, RankOf::kAllSpeeds);
  report.free_rank = constraint_rank(model, ws, constraints, RankOf::kFreeSpeeds);
  report.driven = static_cast<int>(model.driven_speeds().size());
  report.mobility = model.nv() - report.driven - report.free_rank.rank;
  report.length_m = constraints.length_m;
  if (constraints.C.rows() > 0) report.largest_speed_error = (constraints.C * state.v()).cwiseAbs().maxCoeff();
  for (const LoopJoint& loop : model.loops()) {
    Closure closure;
    evaluate_closure(model, loop, constraints.length_m, ws, closure);
    report.gaps.push_back({loop.name, closure.position_error.eigen().norm(), closure.rotation_error.eigen().norm()});
  }
  report.mass = mass_centre(model, ws);
  report.energy = energy(model, state.q().data(), state.v().data(), ws);
  report.choice = choose_dynamics(model);
  return report;
}

}  // namespace kinloop::cli
