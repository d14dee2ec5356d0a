// Evaluates the model once, at its initial state.
#include "services/cli/check_report.hpp"

#include <cmath>

#include "core/dynamics/planar_form.hpp"
#include "core/kinematics/forward_kinematics.hpp"
#include "core/kinematics/loop_constraints.hpp"

namespace kinloop::cli {

namespace {

AutoChoice choice_of(const Model& model, std::string_view dynamics) {
  for (const DynamicsKind& kind : dynamics_kinds()) {
    if (kind.name == dynamics) return {kind.name, "named by the rig"};
  }
  return choose_dynamics(model);
}

}  // namespace

CheckReport check_model(const Model& model, std::string_view dynamics) {
  const State state(model);
  Workspace ws(model);
  update_kinematics(model, state, ws);
  update_loop_constraints(model, state, ws);

  CheckReport report;
  report.constraint_rows = constraint_rows(model);
  report.rank = constraint_rank(model, ws, RankOf::kAllSpeeds);
  report.free_rank = constraint_rank(model, ws, RankOf::kFreeSpeeds);
  report.driven = static_cast<int>(model.driven_speeds().size());
  report.mobility = model.nv() - report.driven - report.free_rank.rank;
  report.length_m = model.length_m();
  report.largest_speed_error = closure_rate(ws);
  report.gaps = loop_gaps(model, ws);
  const PlanarLoops planar(model);
  for (std::size_t i = 0; i < model.loops().size(); ++i) {
    report.linkages.push_back(planar.linkage_of(static_cast<int>(i)));
  }
  report.mass = mass_centre(model, ws);
  report.energy = energy(model, state.q().data(), state.v().data(), ws);
  report.choice = choice_of(model, dynamics);
  report.evaluation = estimate_evaluation(report.choice.name, model);
  if (!model.loops().empty() && model.nv() <= kMaxSpeedsForCuts) {
    Result<CutChoice> cuts = choose_cuts_at_start(model);
    if (cuts && cuts->chosen > 0.0) report.cuts = std::move(cuts).value();
  }
  report.planar = takes_planar_form(report.choice.name, model);
  for (BareStop& stop : bare_stops(model)) {
    const CoordinateConstants& c = model.coordinate(stop.speed);
    const double start = model.initial_q()[c.q];
    // A start outside of the limits has a warning of its own.
    if (start < c.lower || start > c.upper || stop.beyond_reach.empty()) continue;
    report.stops.push_back(std::move(stop));
  }
  return report;
}

std::string better_cuts(const Model& model, const CutChoice& choice) {
  std::string text;
  for (std::size_t l = 0; l < choice.cuts.size(); ++l) {
    const CutJoint& cut = choice.cuts[l];
    if (cut == CutJoint{-1, static_cast<int>(l)}) continue;
    const std::string name =
        cut.joint >= 0 ? model.joint_name(cut.joint) : model.loops()[static_cast<std::size_t>(cut.loop)].name;
    text += (text.empty() ? "joint " : ", ") + name + " in place of " + model.loops()[l].name;
  }
  return text;
}

}  // namespace kinloop::cli
