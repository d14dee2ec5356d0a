// Prints the report, for people or as JSON.
#include "services/cli/check.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>

#include "core/integrators/step_limits.hpp"
#include "core/plant/chain_warnings.hpp"
#include "core/plant/plant.hpp"
#include "services/base/diagnostics.hpp"
#include "services/cli/check_report.hpp"
#include "services/cli/check_warnings.hpp"
#include "services/cli/load_options.hpp"
#include "services/cli/plant_text.hpp"
#include "services/cli/time_argument.hpp"
#include "services/console/exit_code.hpp"
#include "services/console/table.hpp"
#include "services/files/yaml_document.hpp"
#include "services/rig/rig_file.hpp"

namespace kinloop::cli {
namespace {

std::string counted(std::size_t count, const char* one, const char* many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

std::string spaced_list(const double* values, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += (i > 0 ? " " : "") + console::plain_number(values[i]);
  return text;
}

/// All digits, to be copied into a file.
std::string exact_list(const double* values, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += (i > 0 ? " " : "") + console::exact_number(values[i]);
  return text;
}

/// How `partition` finds the dependent coordinates of a loop.
std::string closure_of(const std::optional<PlanarLinkage>& linkage) { return linkage ? "closed_form" : "numeric"; }

std::string closure_text(const std::optional<PlanarLinkage>& linkage) {
  return closure_of(linkage) + (linkage ? " (" + std::string(name_of(*linkage)) + ")" : "");
}

/// Marks the speeds of the joints named; an error names those that do not exist.
Result<std::vector<char>> held_speeds(const Model& model, const std::vector<std::string>& names) {
  std::vector<char> held(static_cast<std::size_t>(model.nv()), 0);
  for (const std::string& name : names) {
    const int k = model.find_joint(name);
    if (k < 0) {
      std::string what = "no joint of the tree is named '" + name + "'; there are ";
      for (int j = 1; j < model.body_count(); ++j) what += (j > 1 ? ", " : "") + model.joint_name(j);
      return Error{"--hold", what};
    }
    for (int i = model.body(k).v; i < model.body(k).v + model.body(k).nv; ++i) held[static_cast<std::size_t>(i)] = 1;
  }
  return held;
}

class Printer {
 public:
  Printer(const Model& model, const console::Console& console) : model_(model), console_(console) {}

  void line(const char* label, const std::string& text) const {
    console_.out << "  " << label << std::string(15 - std::string(label).size(), ' ') << text << "\n";
  }

  void head(const LoadedModel& loaded) const {
    console_.out << console_.on_out(model_.name(), console::Style::kBold) << " (" << describe(loaded.kind) << ")\n";
  }

  void summary(const CheckReport& r, const FastestMotion& fastest) const {
    const Vector3& c = r.mass.position;
    line("bodies", counted(static_cast<std::size_t>(model_.body_count() - 1), "body", "bodies") + ", " +
                       console::plain_number(r.mass.mass_kg) + " kg, centre of mass (" + console::plain_number(c.x()) +
                       ", " + console::plain_number(c.y()) + ", " + console::plain_number(c.z()) + ") m");
    line("tree", counted(static_cast<std::size_t>(model_.nv()), "speed", "speeds") + ", " +
                     counted(static_cast<std::size_t>(model_.nq()), "coordinate", "coordinates") + ", " +
                     std::to_string(r.driven) + " driven");
    if (model_.has_loops()) {
      line("constraints", counted(model_.loops().size(), "loop joint", "loop joints") + " and " +
                              counted(model_.couplings().size(), "coupling", "couplings") + ": " +
                              counted(static_cast<std::size_t>(r.constraint_rows), "row", "rows") + ", rank " +
                              std::to_string(r.rank.rank) + ", " + std::to_string(r.redundant()) + " redundant");
    }
    line("mobility", std::to_string(r.mobility));
    line("forces", counted(model_.springs().size(), "spring", "springs") + ", " +
                       counted(model_.bushings().size(), "bushing", "bushings") + ", " +
                       counted(model_.loaded_speeds().size(), "joint", "joints") +
                       " with springs, forces, friction or stops");
    if (!model_.ropes().empty() || !model_.contact_points().empty()) {
      line("one-sided", counted(model_.ropes().size(), "rope", "ropes") + ", " +
                            counted(model_.planes().size(), "plane", "planes") + ", " +
                            counted(model_.contact_points().size(), "pair", "pairs") + " of a point and a plane");
    }
    if (fastest.frequency_rad_s > 0.0) {
      line("fastest", console::plain_number(fastest.frequency_rad_s) + " rad/s, most of it in joint " +
                          model_.speed_name(fastest.frequency_speed));
    }
    line("energy", console::plain_number(r.energy.kinetic_J) + " J kinetic, " +
                       console::plain_number(r.energy.potential_J) + " J potential");
    line("formulation", (r.choice.name.empty() ? "none yet" : std::string(r.choice.name)) + ": " + r.choice.reason);
    line("form", r.planar ? "planar, three coordinates a body: joints and frames keep the mechanism in one plane"
                          : "spatial, six coordinates a body");
    if (const std::optional<LoopCost>& cost = r.choice.cost) {
      const double usual_ns = r.choice.name == "rcr" ? cost->rcr_ns : cost->semi_recursive_2_ns;
      line("evaluation", "about " + microseconds(usual_ns) + " us, " + microseconds(cost->with_fallback_ns()) +
                             " us where an answer fails its check and another formulation is asked");
    }
  }

  void joints() const {
    console::Table table({{"joint"}, {"type"}, {"from"}, {"to"}, {"q"}, {"u"}});
    for (int k = 1; k < model_.body_count(); ++k) {
      const BodyConstants& body = model_.body(k);
      const JointKind& kind = joint_kind(body.joint);
      table.add({model_.joint_name(k), std::string(kind.name), model_.body_name(body.parent), model_.body_name(k),
                 spaced_list(model_.initial_q().data() + body.q, kind.nq),
                 spaced_list(model_.initial_v().data() + body.v, kind.nv)},
                body.driven ? "driven" : "");
    }
    console_.out << "\n";
    table.print(console_.out);
  }

  void redundant(const CheckReport& r) const {
    if (r.rank.redundant.empty()) return;
    console_.out << "\nredundant constraints, which follow from the others at this state:\n";
    for (const int row : r.rank.redundant) console_.out << "  " << constraint_name(model_, row) << "\n";
  }

  void assembly(const Assembly& a) const {
    console_.out << "\n";
    if (!a.closed) {
      console_.out << console_.on_out("cannot be assembled", console::Style::kBad)
                   << " from here; what comes nearest leaves\n";
      for (std::size_t i = 0; i < a.gaps.size(); ++i) {
        console_.out << "  loop " << model_.loops()[i].name << " open by "
                     << console::short_number(a.gaps[i].distance_m) << " m and "
                     << console::short_number(a.gaps[i].angle_rad) << " rad\n";
      }
      return;
    }
    console_.out << "assembled in " << counted(static_cast<std::size_t>(a.iterations), "iteration", "iterations")
                 << ", loops closed to " << console::short_number(a.error) << "\n";
    console::Table table({{"joint"}, {"q given"}, {"q closed"}, {"u given"}, {"u closed"}});
    for (int k = 1; k < model_.body_count(); ++k) {
      const BodyConstants& body = model_.body(k);
      const int nq = joint_kind(body.joint).nq;
      table.add({model_.joint_name(k), spaced_list(model_.initial_q().data() + body.q, nq),
                 exact_list(a.q.data() + body.q, nq), spaced_list(model_.initial_v().data() + body.v, body.nv),
                 exact_list(a.v.data() + body.v, body.nv)});
    }
    table.print(console_.out);
  }

  void loops(const CheckReport& r) const {
    if (model_.loops().empty()) return;
    console::Table table({{"loop joint"}, {"type"}, {"from"}, {"to"}, {"rows", console::Align::kRight}, {"open by"}});
    for (std::size_t i = 0; i < model_.loops().size(); ++i) {
      const LoopJoint& loop = model_.loops()[i];
      const JointKind& kind = joint_kind(loop.type);
      table.add(
          {loop.name, std::string(kind.name), model_.body_name(loop.predecessor), model_.body_name(loop.successor),
           std::to_string(6 - kind.nv),
           console::short_number(r.gaps[i].distance_m) + " m, " + console::short_number(r.gaps[i].angle_rad) + " rad"},
          "closure: " + closure_text(r.linkages[i]));
    }
    console_.out << "\n";
    table.print(console_.out);
  }

 private:
  const Model& model_;
  const console::Console& console_;
};

nlohmann::ordered_json json_of(const Assembly& a) {
  return {{"closed", a.closed},
          {"error", a.error},
          {"q", std::vector<double>(a.q.begin(), a.q.end())},
          {"u", std::vector<double>(a.v.begin(), a.v.end())}};
}

void print_check_json(const LoadedModel& loaded, const CheckReport& r, const FastestMotion& fastest,
                      const IntegratorChoice& integrator, const std::vector<Error>& warnings,
                      const std::optional<Assembly>& assembly, const console::Console& console) {
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
                     {"rows", 6 - joint_kind(loop.type).nv},
                     {"distance_m", r.gaps[i].distance_m},
                     {"angle_rad", r.gaps[i].angle_rad},
                     {"closure", closure_of(r.linkages[i])}});
    if (r.linkages[i]) loops.back()["linkage"] = std::string(name_of(*r.linkages[i]));
  }
  nlohmann::ordered_json hints = nlohmann::ordered_json::array();
  for (const Error& warning : warnings) hints.push_back({{"where", warning.where}, {"what", warning.what}});
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
                                   {"fastest_rad_s", fastest.frequency_rad_s},
                                   {"dynamics", std::string(r.choice.name)},
                                   {"dynamics_reason", r.choice.reason},
                                   {"dynamics_form", r.planar ? "planar" : "spatial"},
                                   {"integrator", integrator.name},
                                   {"integrator_reason", integrator.reason},
                                   {"joints", joints},
                                   {"loops", loops},
                                   {"redundant_constraints", redundant},
                                   {"warnings", hints}};
  if (r.choice.cost) report["evaluation_with_fallback_us"] = 1e-3 * r.choice.cost->with_fallback_ns();
  if (assembly) report["assembly"] = json_of(*assembly);
  console.out << report.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << "\n";
}

/// A model, alone or on a rig.
struct CheckSubject {
  LoadedModel model;
  std::optional<RigSpec> rig;
  std::vector<Error> warnings;  // of the rig's file
};

bool is_rig_file(const std::string& file) {
  const auto document = read_yaml_file(file);
  return document && document->root.is_mapping() && document->root.find("kinloop_rig") != nullptr;
}

Result<CheckSubject, std::vector<Error>> load_checked(const CheckOptions& options) {
  if (is_rig_file(options.file)) {
    auto rig = load_rig(options.file, options.load.parameters);
    if (!rig) return rig.error();
    return CheckSubject{std::move(rig->model), std::move(rig->spec), std::move(rig->warnings)};
  }
  auto model = load_model(options.file, options.load);
  if (!model) return model.error();
  return CheckSubject{std::move(model).value(), std::nullopt, {}};
}

/// What `auto` takes, or the one that is named, and what it will not follow. `plant` is the rig's.
IntegratorChoice judge_steps(const CheckOptions& options, const CheckSubject& subject,
                             const Result<std::unique_ptr<Plant>>* plant, const FastestMotion& fastest, double dt_s,
                             std::vector<Error>& warnings) {
  const Model& model = subject.model.model;
  const auto add = [&](const std::vector<Error>& more) { warnings.insert(warnings.end(), more.begin(), more.end()); };
  if (plant == nullptr) {
    add(step_warnings(model, fastest, dt_s, options.integrator));
    if (!options.integrator.empty()) return {options.integrator, "as asked for"};
    IntegratorChoice choice = choose_integrator(model, fastest, dt_s, "rk4");
    if (choice.name == "linearly_implicit") {  // what even that cannot follow
      for (const Error& warning : step_warnings(model, fastest, dt_s, choice.name)) {
        if (std::find(warnings.begin(), warnings.end(), warning) == warnings.end()) warnings.push_back(warning);
      }
    }
    choice.reason = "auto in sim: " + choice.reason;
    return choice;
  }
  add(subject.warnings);
  if (!*plant) {
    warnings.push_back(plant->error());
    return {"none", "the plant cannot be built"};
  }
  const Plant& built = ***plant;
  add(built.warnings());
  add(chain_warnings(model, subject.rig->plant));
  IntegratorChoice choice = built.integrator(0);
  choice.reason = choice.reason.empty() ? "named by the rig" : "auto: " + choice.reason;
  return choice;
}

}  // namespace

int run_check(const CheckOptions& options, const console::Console& console) {
  const Result<double> dt_s = read_time("--dt", options.dt);
  if (!dt_s) {
    console::print_errors(console, {dt_s.error()}, "");
    return console::kBadInput;
  }
  auto subject = load_checked(options);
  if (!subject) {
    console::print_errors(console, subject.error(), "");
    return console::kBadInput;
  }
  const LoadedModel* const loaded = &subject->model;
  std::optional<Assembly> assembly;
  if (options.assemble) {
    const auto held = held_speeds(loaded->model, options.held);
    if (!held) {
      console::print_errors(console, {held.error()}, "");
      return console::kBadInput;
    }
    assembly = assemble(loaded->model, loaded->model.initial_q(), loaded->model.initial_v(), *held);
  }
  const int code = assembly && !assembly->closed ? console::kBadInput : console::kDone;
  const CheckReport report = check_model(loaded->model);
  std::optional<Result<std::unique_ptr<Plant>>> plant;
  if (subject->rig) plant.emplace(Plant::make(loaded->model, subject->rig->plant));
  const FastestMotion fastest = plant && *plant ? (**plant)->fastest() : fastest_at_start(loaded->model);
  std::vector<Error> warnings = loaded->warnings;
  const std::vector<Error> found = find_warnings(loaded->model, report, fastest);
  warnings.insert(warnings.end(), found.begin(), found.end());
  IntegratorChoice integrator = judge_steps(options, *subject, plant ? &*plant : nullptr, fastest, *dt_s, warnings);
  if (integrator.name == "linearly_implicit") {
    if (const std::string dense = dense_steps(loaded->model); !dense.empty()) integrator.reason += "; " + dense;
  }
  if (options.format == console::Format::kJson) {
    print_check_json(*loaded, report, fastest, integrator, warnings, assembly, console);
    return code;
  }
  const Printer printer(loaded->model, console);
  printer.head(*loaded);
  printer.summary(report, fastest);
  printer.line("integrator", integrator.name + (integrator.reason.empty() ? "" : ": " + integrator.reason));
  printer.joints();
  printer.loops(report);
  printer.redundant(report);
  if (assembly) printer.assembly(*assembly);
  if (!warnings.empty()) console.out << "\n";
  for (const Error& warning : warnings) {
    console.out << console.on_out("warning: ", console::Style::kWarning) << to_line(warning) << "\n";
  }
  return code;
}

void add_check(CLI::App& app, Job& job) {
  CLI::App* verb = app.add_subcommand("check", "say what a model is, and what will cause trouble");
  auto options = std::make_shared<CheckOptions>();
  auto json = std::make_shared<bool>(false);
  verb->add_option("FILE", options->file, "the model: Kinloop YAML, URDF, SDF, or test vectors; or a rig")->required();
  add_load_options(*verb, options->load);
  verb->add_option("--dt", options->dt,
                   "step that stiff springs are judged against, with or without a unit; a rig has its own")
      ->capture_default_str();
  verb->add_option("-i,--integrator", options->integrator, "that the step is judged for; else explicit ones");
  verb->add_flag("--assemble", options->assemble, "find a state near the initial one that closes all loops");
  verb->add_option("--hold", options->held, "joints that keep their coordinates in the assembly, e.g. --hold crank,arm")
      ->delimiter(',');
  verb->add_flag("--json", *json, "machine-readable");
  verb->footer(
      "Rank, redundancy and mobility are those at the initial state: mobility = speeds - driven - rank.\n"
      "closure: how `partition` finds a loop's dependent coordinates, closed_form or numeric.\n"
      "A model that loads exits with 0, also with warnings; a broken one with 2 and one line per problem, and so\n"
      "does one that --assemble cannot close.\n"
      "\n"
      "examples:\n"
      "  kinloop check configs/models/demo.yaml\n"
      "  kinloop check configs/models/n_four_bar.yaml --set windows=40 --set \"length=80 cm\"\n"
      "  kinloop check robot.urdf --base floating\n"
      "  kinloop check linkage.yaml --assemble --hold crank\n"
      "  kinloop check configs/rigs/excavator.yaml\n"
      "  kinloop check tests/data/vectors/fourbar.json --json | jq .mobility");
  verb->callback([options, json, &job] {
    options->format = *json ? console::Format::kJson : console::Format::kText;
    job = [options](const console::Console& console) { return run_check(*options, console); };
  });
}

}  // namespace kinloop::cli
