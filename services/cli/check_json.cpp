// Writes the report as one JSON object, for programs.
#include <nlohmann/json.hpp>
#include <ostream>

#include "services/cli/check_print.hpp"

namespace kinloop::cli {
namespace {

nlohmann::ordered_json json_of(const Assembly& a) {
  return {{"closed", a.closed},
          {"error", a.error},
          {"q", std::vector<double>(a.q.begin(), a.q.end())},
          {"u", std::vector<double>(a.v.begin(), a.v.end())}};
}

}  // namespace

void print_check_json(const LoadedModel& loaded, const CheckFindings& found, const console::Console& console) {
  const CheckReport& r = found.report;
  const Model& model = loaded.model;
  nlohmann::ordered_json joints = nlohmann::ordered_json::array();
  for (int k = 1; k < model.body_count(); ++k) {
    const BodyConstants& body = model.body(k);
    const JointKind& kind = joint_kind(body.joint);
    const double* q = model.initial_q().data() + body.q;
    const double* u = model.initial_v().data() + body.v;
    joints.push_back({{"name", model.joint_name(k)},
                      {"type", std::string(kind.name)},
                      {"predecessor", model.body_name(body.parent)},
                      {"successor", model.body_name(k)},
                      {"driven", body.driven},
                      {"q", std::vector<double>(q, q + kind.nq)},
                      {"u", std::vector<double>(u, u + kind.nv)}});
  }
  nlohmann::ordered_json loops = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < model.loops().size(); ++i) {
    const LoopJoint& loop = model.loops()[i];
    loops.push_back({{"name", loop.name},
                     {"type", std::string(joint_kind(loop.type).name)},
                     {"predecessor", model.body_name(loop.predecessor)},
                     {"successor", model.body_name(loop.successor)},
                     {"rows", loop.directions->rows},
                     {"driven", !loop.drives.empty()},
                     {"distance_m", r.gaps[i].distance_m},
                     {"angle_rad", r.gaps[i].angle_rad},
                     {"closure", closure_of(r.linkages[i])}});
    if (r.linkages[i]) loops.back()["linkage"] = std::string(name_of(*r.linkages[i]));
  }
  nlohmann::ordered_json hints = nlohmann::ordered_json::array();
  for (const Error& warning : found.warnings) hints.push_back({{"where", warning.where}, {"what", warning.what}});
  const Vector3& c = r.mass.position;
  nlohmann::ordered_json redundant = nlohmann::ordered_json::array();
  for (const int row : r.rank.redundant) redundant.push_back(constraint_name(model, row));
  nlohmann::ordered_json report = {{"name", model.name()},
                                   {"kind", std::string(describe(loaded.kind))},
                                   {"bodies", model.body_count() - 1},
                                   {"nq", model.nq()},
                                   {"nv", model.nv()},
                                   {"driven", r.driven},
                                   {"couplings", model.couplings().size()},
                                   {"constraint_rows", r.constraint_rows},
                                   {"rank", r.rank.rank},
                                   {"redundant", r.redundant()},
                                   {"mobility", r.mobility},
                                   {"mass_kg", r.mass.mass_kg},
                                   {"centre_of_mass_m", {c.x(), c.y(), c.z()}},
                                   {"kinetic_J", r.energy.kinetic_J},
                                   {"potential_J", r.energy.potential_J},
                                   {"fastest_rad_s", found.fastest.frequency_rad_s},
                                   {"dynamics", std::string(r.choice.name)},
                                   {"dynamics_reason", r.choice.reason},
                                   {"dynamics_form", r.planar ? "planar" : "spatial"},
                                   {"integrator", found.integrator.name},
                                   {"integrator_reason", found.integrator.reason},
                                   {"joints", joints},
                                   {"loops", loops},
                                   {"redundant_constraints", redundant},
                                   {"warnings", hints}};
  for (const BareStop& stop : r.stops) {
    for (const BareStop::Unreached& end : stop.beyond_reach) {
      report["limits_out_of_reach"].push_back(
          {{"joint", model.speed_name(stop.speed)}, {"limit", end.limit}, {"nearest", end.nearest}});
    }
  }
  if (r.evaluation) report["evaluation_with_fallback_us"] = 1e-3 * r.evaluation->with_fallback_ns;
  if (r.cuts) {
    report["cuts"] = {{"quality", r.cuts->given}, {"best", r.cuts->chosen}, {"better", better_cuts(model, *r.cuts)}};
  }
  if (found.assembly) report["assembly"] = json_of(*found.assembly);
  console.out << report.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << "\n";
}

}  // namespace kinloop::cli
