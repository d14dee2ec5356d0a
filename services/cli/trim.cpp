// Loads a rig, trims it from its start, prints state and commands for people and programs.
#include "services/cli/trim.hpp"

#include <CLI/CLI.hpp>
#include <charconv>
#include <ostream>

#include "core/analysis/trim.hpp"
#include "services/cli/linear_json.hpp"
#include "services/cli/write_out.hpp"
#include "services/console/exit_code.hpp"
#include "services/console/table.hpp"
#include "services/rig/rig_file.hpp"

namespace kinloop::cli {
namespace {

using Given = std::vector<std::pair<std::string, double>>;

Result<Given> given_values(const char* option, const std::vector<std::string>& texts) {
  Given given;
  for (const std::string& text : texts) {
    const std::size_t sign = text.find('=');
    double value = 0.0;
    const char* end = text.data() + text.size();
    const char* first = text.data() + std::min(sign + 1, text.size());
    const auto read = sign == std::string::npos ? std::from_chars_result{end, std::errc::invalid_argument}
                                                : std::from_chars(first, end, value);
    if (read.ec != std::errc() || read.ptr != end || sign == 0) {
      return Error{option, "'" + text + "' is no NAME=NUMBER in SI units"};
    }
    given.emplace_back(text.substr(0, sign), value);
  }
  return given;
}

void print_trim(const std::string& name, const kinloop::Plant& plant, const Trim& found, std::ostream& out) {
  out << name << ": " << (found.is_reached ? "trimmed" : "not trimmed") << " after " << found.iterations
      << " iterations, what is left changes by " << console::short_number(found.residual) << " of its size a second\n";
  for (const std::string& line : found.missing) out << "  " << line << "\n";
  console::Table table({{"command"}, {"is", console::Align::kRight}});
  for (std::size_t i = 0; i < plant.actuator_count(); ++i) {
    table.add({plant.spec().actuators[i].name, console::plain_number(found.input.command[i])});
  }
  if (plant.actuator_count() > 0) table.print(out);
  console::Table places({{"coordinate"}, {"is", console::Align::kRight}});
  const Model& model = plant.model();
  for (int i = 0; i < model.nv(); ++i) {
    const int q = model.coordinate(i).q;
    if (q >= 0) places.add({"q." + model.speed_name(i), console::plain_number(found.state.q()[q])});
  }
  places.print(out);
}

}  // namespace

int run_trim(const TrimOptions& options, const console::Console& console) {
  const Result<Given> coordinates = given_values("--coordinate", options.coordinates);
  if (!coordinates) return console::refuse(coordinates.error(), console);
  const Result<Given> speeds = given_values("--speed", options.speeds);
  if (!speeds) return console::refuse(speeds.error(), console);
  const Result<Given> commands = given_values("--command", options.commands);
  if (!commands) return console::refuse(commands.error(), console);
  const auto rig = load_rig(options.file);
  if (!rig) {
    console::refuse_all(rig.error(), console);
    return console::kBadInput;
  }
  const auto plant = kinloop::Plant::make(rig->model.model, rig->spec.plant);
  if (!plant) return console::refuse(plant.error(), console);
  StepInput input;
  input.count = static_cast<std::uint32_t>((*plant)->actuator_count());
  for (std::size_t i = 0; i < rig->spec.plant.actuators.size(); ++i) {
    input.command[i] = rig->spec.plant.actuators[i].initial;
  }
  TrimSettings settings;
  settings.coordinates = *coordinates;
  settings.speeds = *speeds;
  settings.commands = *commands;
  settings.holds_coordinates = options.hold;
  const Result<Trim> found = trim(**plant, (*plant)->initial_state(), input, settings);
  if (!found) return console::refuse(found.error(), console);
  print_trim(rig->spec.name, **plant, *found, options.out == "-" ? console.err : console.out);
  if (!options.out.empty()) {
    const int code = write_out(options.out, trim_json(rig->spec.name, **plant, *found), console);
    if (code != console::kDone) return code;
  }
  return found->is_reached ? console::kDone : console::kDiffers;
}

void add_trim(CLI::App& app, Job& job) {
  CLI::App* verb = app.add_subcommand("trim", "where a rig stands still, or moves on steadily, under what is given");
  auto options = std::make_shared<TrimOptions>();
  verb->add_option("RIG", options->file, "rig file")->required();
  verb->add_option("--coordinate", options->coordinates, "NAME=NUMBER: stays there, SI units; may be repeated");
  verb->add_option("--speed", options->speeds, "NAME=NUMBER: moves on so; speeds that are not named are zero");
  verb->add_option("--command", options->commands, "ACTUATOR=NUMBER: is given; the others are sought");
  verb->add_flag("--hold", options->hold, "all coordinates stay where the rig starts");
  verb->add_option("-o,--out", options->out, "JSON file of the state and commands; - for standard output");
  verb->footer(
      "Sought are coordinates and commands that are not given and all that actuators remember (currents, pressures,\n"
      "lags), so that a step changes neither speeds nor memory. docs/linearization.md tells the rest.\n"
      "\n"
      "exit codes: 0 done, 2 bad usage or file, 5 it cannot be reached; what is missing is said\n"
      "\n"
      "examples:\n"
      "  kinloop trim configs/rigs/excavator.yaml --hold\n"
      "  kinloop trim configs/rigs/pendulum.yaml --coordinate pin=0.5 -o pendulum.json");
  verb->callback(
      [options, &job] { job = [options](const console::Console& console) { return run_trim(*options, console); }; });
}

}  // namespace kinloop::cli
