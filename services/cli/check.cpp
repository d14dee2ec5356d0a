// Loads the model or rig, has it judged, and prints what was found.
#include "services/cli/check.hpp"

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <ostream>

#include "core/analysis/chain_warnings.hpp"
#include "core/integrators/step_limits.hpp"
#include "core/plant/plant.hpp"
#include "services/base/diagnostics.hpp"
#include "services/cli/check_print.hpp"
#include "services/cli/check_warnings.hpp"
#include "services/cli/load_options.hpp"
#include "services/cli/simulation.hpp"
#include "services/cli/time_argument.hpp"
#include "services/console/exit_code.hpp"
#include "services/files/yaml_document.hpp"
#include "services/rig/rig_file.hpp"

namespace kinloop::cli {
namespace {

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
    IntegratorChoice choice = integrator_of_sim(options.integrator, model, fastest, dt_s);
    choice.reason = choice.reason.empty() ? "as asked for" : "auto in sim: " + choice.reason;
    add(step_warnings(model, fastest, dt_s, choice.name));
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
  if (options.integrator != kAutoIntegrator) {
    if (const auto known = make_integrator(options.integrator, loaded->model); !known) {
      console::print_errors(console, {{"--integrator " + known.error().where, known.error().what}}, "");
      return console::kBadInput;
    }
  }
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
  CheckFindings found;
  found.name = shown_name(loaded->model, options.file);
  const bool names_one = subject->rig && !subject->rig->plant.levels.empty();
  found.report = check_model(loaded->model, names_one ? subject->rig->plant.levels.front().dynamics : "auto");
  found.assembly = std::move(assembly);
  std::optional<Result<std::unique_ptr<Plant>>> plant;
  if (subject->rig) plant.emplace(Plant::make(loaded->model, subject->rig->plant));
  found.fastest = plant && *plant ? (**plant)->fastest() : fastest_at_start(loaded->model);
  found.warnings = loaded->warnings;
  const std::vector<Error> more = find_warnings(loaded->model, found.report, found.fastest);
  found.warnings.insert(found.warnings.end(), more.begin(), more.end());
  found.integrator = judge_steps(options, *subject, plant ? &*plant : nullptr, found.fastest, *dt_s, found.warnings);
  if (found.integrator.name == "linearly_implicit") {
    if (const std::string dense = dense_steps(loaded->model); !dense.empty()) found.integrator.reason += "; " + dense;
  }
  const auto print = options.format == console::Format::kJson ? print_check_json : print_check_text;
  print(*loaded, found, console);
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
  verb->add_option("-i,--integrator", options->integrator, "that the step is judged for; a rig has its own")
      ->capture_default_str();
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
