// Loads a rig or a model, linearises, prints the modes for people and the matrices for programs.
#include "services/cli/linearize.hpp"

#include <CLI/CLI.hpp>
#include <optional>
#include <ostream>

#include "core/analysis/linearize.hpp"
#include "core/analysis/modes.hpp"
#include "services/base/text_file.hpp"
#include "services/cli/linear_json.hpp"
#include "services/cli/load_options.hpp"
#include "services/cli/time_argument.hpp"
#include "services/cli/write_out.hpp"
#include "services/console/exit_code.hpp"
#include "services/console/table.hpp"
#include "services/rig/rig_file.hpp"

namespace kinloop::cli {
namespace {

/// What is linearised: the model must not move once a plant is made of it.
struct Subject {
  std::string name;
  LoadedModel model;
  PlantSpec plant;
};

/// By the one key that every rig must have.
bool is_rig(const std::string& path) {
  constexpr std::size_t kMaxBytes = 16U << 20U;
  const Result<std::string> text = read_text_file(path, kMaxBytes);
  return text && (text->starts_with("kinloop_rig:") || text->find("\nkinloop_rig:") != std::string::npos);
}

std::optional<Subject> load_subject(const LinearizeOptions& options, const console::Console& console) {
  if (is_rig(options.file)) {
    auto rig = load_rig(options.file);
    if (!rig) {
      console::refuse_all(rig.error(), console);
      return std::nullopt;
    }
    console::print_warnings(console, rig->warnings);
    console::print_warnings(console, rig->model.warnings);
    return Subject{rig->spec.name, std::move(rig->model), std::move(rig->spec.plant)};
  }
  const Result<double> dt_s = read_time("--dt", options.dt);
  if (!dt_s) {
    console::refuse(dt_s.error(), console);
    return std::nullopt;
  }
  auto model = load_model(options.file, options.load);
  if (!model) {
    console::refuse_all(model.error(), console);
    return std::nullopt;
  }
  console::print_warnings(console, model->warnings);
  PlantSpec plant;
  plant.dt_s = *dt_s;
  plant.levels[0].integrator = options.integrator;
  const std::string name = shown_name(model->model, options.file);
  return Subject{name, std::move(model).value(), std::move(plant)};
}

void print_names(const char* what, const std::vector<std::string>& names, const VectorX& values, const char* column,
                 std::ostream& out) {
  console::Table table({{what}, {column, console::Align::kRight}});
  for (std::size_t i = 0; i < names.size(); ++i) {
    table.add({names[i], console::plain_number(values[static_cast<Eigen::Index>(i)])});
  }
  if (names.empty()) return;
  out << "\n";
  table.print(out);
}

void print_modes(const Linearization& l, const console::Console& console, std::ostream& out) {
  console::Table table({{"mode"},
                        {"magnitude", console::Align::kRight},
                        {"frequency, Hz", console::Align::kRight},
                        {"damping", console::Align::kRight},
                        {"time constant, s", console::Align::kRight}});
  int number = 0;
  for (const Mode& mode : modes(l.A, l.dt_s)) {
    const std::string label = std::to_string(++number);
    const std::string magnitude = console::plain_number(std::abs(mode.eigenvalue));
    if (mode.kind == ModeKind::kStays || mode.kind == ModeKind::kGone) {
      table.add({label, magnitude, "-", "-", "-"},
                mode.kind == ModeKind::kStays ? "stays where it is put" : "gone within a few steps");
      continue;
    }
    const bool grows = mode.time_constant_s < 0.0;
    table.add({label, magnitude, console::plain_number(mode.frequency_Hz), console::plain_number(mode.damping),
               console::plain_number(std::abs(mode.time_constant_s))},
              grows ? console.on_out("grows", console::Style::kWarning) : "");
  }
  if (number == 0) return;
  out << "\n";
  table.print(out);
}

void print_linearization(const std::string& name, const Linearization& l, const IntegratorChoice& integrator,
                         const console::Console& console, std::ostream& out) {
  out << console.on_out(name, console::Style::kBold) << ": one step of " << console::plain_number(l.dt_s * 1e3)
      << " ms, " << l.states.size() << " states, " << l.inputs.size() << " inputs, " << l.outputs.size() << " outputs; "
      << l.method;
  if (l.uncertainty > 0.0) out << ", which agree to " << console::short_number(l.uncertainty);
  out << "\n";
  if (!integrator.reason.empty()) out << "auto takes " << integrator.name << ": " << integrator.reason << "\n";
  print_names("state", l.states, l.x, "at", out);
  print_names("input", l.inputs, l.u, "at", out);
  print_names("output", l.outputs, l.y, "after the step", out);
  print_modes(l, console, out);
}

Result<Linearization> linearized(const Subject& subject, kinloop::Plant& plant, const LinearizeSettings& settings) {
  StepInput input;
  input.count = static_cast<std::uint32_t>(plant.actuator_count());
  for (std::size_t i = 0; i < subject.plant.actuators.size(); ++i) {
    input.command[i] = subject.plant.actuators[i].initial;
  }
  return linearize(plant, plant.initial_state(), input, settings);
}

}  // namespace

int run_linearize(const LinearizeOptions& options, const console::Console& console) {
  const Result<LinearizeMethod> method = find_linearize_method(options.method);
  if (!method) return console::refuse({"--method", method.error().what}, console);
  const Result<LinearizeSide> side = find_linearize_side(options.side);
  if (!side) return console::refuse({"--side", side.error().what}, console);
  const std::optional<Subject> subject = load_subject(options, console);
  if (!subject) return console::kBadInput;
  const auto plant = kinloop::Plant::make(subject->model.model, subject->plant);
  if (!plant) return console::refuse(plant.error(), console);
  console::print_warnings(console, (*plant)->warnings());
  const Result<Linearization> l =
      linearized(*subject, **plant, {*method, options.independent, options.parameters, *side});
  if (!l) return console::refuse(l.error(), console);
  std::vector<Error> warnings;
  for (const std::string& warning : l->warnings) warnings.push_back({subject->name, warning});
  console::print_warnings(console, warnings);

  std::ostream& people = options.out == "-" ? console.err : console.out;
  print_linearization(subject->name, *l, (*plant)->integrator(0), console, people);
  if (options.out.empty()) return console::kDone;
  if (options.out != "-") console.out << "\n";
  return write_out(options.out, linear_json(subject->name, *l), console);
}

void add_linearize(CLI::App& app, Job& job) {
  CLI::App* verb = app.add_subcommand("linearize", "one step around the initial state as matrices A, B, C, D");
  auto options = std::make_shared<LinearizeOptions>();
  verb->add_option("FILE", options->file, "a rig, or a model, which then has no inputs and outputs")->required();
  verb->add_option("-o,--out", options->out, "JSON file of all names and matrices; - for standard output");
  verb->add_option("--method", options->method, "exact, or differences of the step itself")->capture_default_str();
  verb->add_option("--side", options->side, "of an edge it stands on, as a valve that just opens: either, below, above")
      ->capture_default_str();
  verb->add_option("--parameters", options->parameters, "to differentiate by: mass.BODY, friction.*; with --out")
      ->delimiter(',');
  verb->add_option("--independent", options->independent, "coordinates to take as independent, comma in between")
      ->delimiter(',');
  add_load_options(*verb, options->load);
  verb->add_option("--dt", options->dt, "step of a model, with or without a unit; a rig has its own")
      ->capture_default_str();
  verb->add_option("-i,--integrator", options->integrator, "of a model; a rig has its own")->capture_default_str();
  verb->footer(
      "x+ = x_next + A (x - x_0) + B (u - u_0),  y = y_0 + C (x+ - x_next) + D (u - u_0): one step with commands "
      "held.\n"
      "x are independent coordinates and speeds (loops stay closed, driven joints are no states) and what actuators\n"
      "remember; u are commands; y are the true signals of the sensors at the end of the step. A rig is taken at its\n"
      "initial state and commands. docs/linearization.md tells the rest, with an LQR in a few lines of numpy.\n"
      "\n"
      "exit codes: 0 done, 2 bad usage or file, a singular position or a step that fails, 1 the file could not be\n"
      "written\n"
      "\n"
      "examples:\n"
      "  kinloop linearize configs/rigs/cart_pole.yaml\n"
      "  kinloop linearize configs/rigs/five_bar.yaml -o five_bar.json\n"
      "  kinloop linearize configs/models/double_wishbone.yaml --dt 0.5ms\n"
      "  kinloop linearize configs/rigs/four_bar.yaml -o - | jq .A");
  verb->callback([options, &job] {
    job = [options](const console::Console& console) { return run_linearize(*options, console); };
  });
}

}  // namespace kinloop::cli
