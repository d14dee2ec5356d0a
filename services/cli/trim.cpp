// Loads a rig, trims it from its start, prints state and commands for people and programs.
#include "services/cli/trim.hpp"

#include <charconv>
#include <filesystem>
#include <ostream>
#include <span>
#include <system_error>

#include "core/analysis/trim.hpp"
#include "rt/messages/state_hash.hpp"
#include "services/cli/linear_json.hpp"
#include "services/cli/write_out.hpp"
#include "services/console/exit_code.hpp"
#include "services/console/table.hpp"
#include "services/io/description.hpp"
#include "services/io/snapshot_codec.hpp"
#include "services/rig/rig_file.hpp"
#include "services/rig/write_rig.hpp"

namespace kinloop::cli {
namespace {

using Given = std::vector<std::pair<std::string, double>>;

void print_trim(const std::string& name, const kinloop::Plant& plant, const Trim& found, std::ostream& out) {
  out << name << ": " << (found.is_reached ? "trimmed" : "not trimmed") << " after " << found.iterations
      << " iterations, what is left changes by " << console::short_number(found.residual) << " of its size a second\n";
  for (const std::string& line : found.missing) out << "  " << line << "\n";
  const IntegratorChoice& integrator = plant.integrator(0);
  if (!integrator.reason.empty()) out << "auto takes " << integrator.name << ": " << integrator.reason << "\n";
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

/// The rig once more, so that it begins there.
std::string trimmed_rig(const LoadedRig& rig, const Trim& found, const std::string& file) {
  RigSpec spec = rig.spec;
  spec.plant.start.assign(found.state.block().begin(), found.state.block().end());
  for (std::size_t i = 0; i < spec.plant.actuators.size(); ++i) {
    spec.plant.actuators[i].initial = found.input.command[i];
  }
  std::error_code failure;
  const std::filesystem::path folder = std::filesystem::absolute(file, failure).parent_path();
  const std::filesystem::path model = std::filesystem::relative(spec.model, folder, failure);
  return write_rig(spec, failure ? spec.model.string() : model.string());
}

/// What `kinloop ctl restore` takes.
std::string trimmed_snapshot(const LoadedRig& rig, const Trim& found) {
  const std::span<const double> block(found.state.block().data(), static_cast<std::size_t>(found.state.block().size()));
  rt::SnapshotBuffer buffer;
  buffer.state_hash = rt::state_hash(found.state);
  buffer.actuators = found.input.count;
  for (std::size_t i = 0; i < found.input.count; ++i) {
    buffer.policies[i] = {found.input.command[i], 0, true, false, false};
  }
  return io::snapshot_of(io::describe(rig, block.size()), buffer, block, found.state.step(), {}).SerializeAsString();
}

}  // namespace

Result<Given> given_numbers(const char* option, const std::vector<std::string>& texts) {
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

int run_trim(const TrimOptions& options, const console::Console& console) {
  const Result<Given> coordinates = given_numbers("--coordinate", options.coordinates);
  if (!coordinates) return console::refuse(coordinates.error(), console);
  const Result<Given> speeds = given_numbers("--speed", options.speeds);
  if (!speeds) return console::refuse(speeds.error(), console);
  const Result<Given> commands = given_numbers("--command", options.commands);
  if (!commands) return console::refuse(commands.error(), console);
  const auto rig = load_rig(options.file);
  if (!rig) {
    console::refuse_all(rig.error(), console);
    return console::kBadInput;
  }
  const auto plant = kinloop::Plant::make(rig->model.model, rig->spec.plant);
  if (!plant) return console::refuse(plant.error(), console);
  for (const std::vector<Error>* warnings : {&rig->warnings, &rig->model.warnings, &(*plant)->warnings()}) {
    console::print_warnings(console, *warnings);
  }
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
  if (!options.rig.empty()) {
    const int code = write_out(options.rig, trimmed_rig(*rig, *found, options.rig), console);
    if (code != console::kDone) return code;
  }
  if (!options.snapshot.empty()) {
    const int code = write_out(options.snapshot, trimmed_snapshot(*rig, *found), console);
    if (code != console::kDone) return code;
  }
  return found->is_reached ? console::kDone : console::kDiffers;
}

}  // namespace kinloop::cli
