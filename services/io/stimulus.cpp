// Reads the file as a whole: nothing is left to go wrong while the plant runs.
#include "services/io/stimulus.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>

#include "core/base/nearest_name.hpp"
#include "services/files/expression.hpp"
#include "services/io/description.hpp"
#include "services/plot/csv_reader.hpp"
#include "services/record/record_reader.hpp"

namespace kinloop::io {
namespace {

constexpr std::size_t kMaxValues = std::size_t{1} << 25U;  // 256 MiB

/// The place of an actuator in the rig, by its name.
Result<std::size_t> find_actuator(const PlantSpec& plant, const std::string& name, const std::string& where) {
  std::vector<std::string_view> names;
  names.reserve(plant.actuators.size());
  for (const ActuatorSpec& actuator : plant.actuators) names.push_back(actuator.name);
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  return Error{where, "the rig has no actuator " + in_quotes(name) + did_you_mean(name, names) +
                          " (actuators: " + quoted_list(names) + ")"};
}

/// What the plant would refuse is refused before it runs.
std::optional<Error> objection(const Stimulus& stimulus, std::span<const double> row, const RigSpec& rig,
                               const std::string& where) {
  for (std::size_t i = 0; i < row.size(); ++i) {
    const std::string name = in_quotes(rig.plant.actuators[stimulus.actuators[i]].name);
    const rt::CommandSettings& limits = rig.commands[stimulus.actuators[i]];
    if (!std::isfinite(row[i])) return Error{where, "the value of " + name + " is no number"};
    if (row[i] < limits.lower || row[i] > limits.upper) {
      return Error{where, shown(row[i]) + " is beyond the limits of " + name + ", " + shown(limits.lower) + " to " +
                              shown(limits.upper)};
    }
  }
  if (stimulus.values.size() + row.size() > kMaxValues) {
    return Error{where, "the stimulus has more than " + std::to_string(kMaxValues) + " values"};
  }
  return std::nullopt;
}

void add_row(double time_s, std::span<const double> row, Stimulus& stimulus) {
  stimulus.time_s.push_back(time_s);
  stimulus.values.insert(stimulus.values.end(), row.begin(), row.end());
}

/// Which column is the time, and which actuators the others are.
Result<int> read_header(const plot::CsvReader& csv, const PlantSpec& plant, Stimulus& stimulus) {
  const int t = csv.find("t");
  const int time = t >= 0 ? t : csv.find("time_s");
  if (time < 0) return Error{csv.place(), "there is no column 't' or 'time_s', the time in seconds"};
  for (const std::string& column : csv.columns()) {
    if (column == csv.columns()[static_cast<std::size_t>(time)]) continue;
    const Result<std::size_t> actuator = find_actuator(plant, column, csv.place());
    if (!actuator) return actuator.error();
    stimulus.actuators.push_back(*actuator);
  }
  if (stimulus.actuators.empty()) return Error{csv.place(), "there is no column of an actuator beside the time"};
  return time;
}

Result<Stimulus> load_csv(const PlaybackAdapterSpec& spec, const RigSpec& rig) {
  std::ifstream file(spec.file, std::ios::binary);
  if (!file) return Error{spec.file.string(), std::strerror(errno)};
  auto csv = plot::CsvReader::open(file, spec.file.string());
  if (!csv) return csv.error();
  Stimulus stimulus;
  const Result<int> time_column = read_header(*csv, rig.plant, stimulus);
  if (!time_column) return time_column.error();
  std::vector<int> all(csv->columns().size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int>(i);
  csv->want(all);
  std::vector<double> row;
  for (;;) {
    const Result<bool> more = csv->next();
    if (!more) return more.error();
    if (!*more) break;
    row.assign(csv->values().begin(), csv->values().end());
    const double time_s = row[static_cast<std::size_t>(*time_column)];
    row.erase(row.begin() + *time_column);
    if (!std::isfinite(time_s)) return Error{csv->place(), "the time is no number"};
    if (stimulus.rows() > 0 && time_s <= stimulus.time_s.back()) {
      return Error{csv->place(), "times go up from row to row: " + shown(time_s) + " s comes after " +
                                     shown(stimulus.time_s.back()) + " s"};
    }
    if (const auto error = objection(stimulus, row, rig, csv->place())) return *error;
    add_row(time_s, row, stimulus);
  }
  if (stimulus.rows() > 0) stimulus.end_s = stimulus.time_s.back();
  return stimulus;
}

/// The record's actuators must be the rig's, by name and unit.
std::optional<Error> match_actuators(const v1::Description& recorded, const LoadedRig& rig, const std::string& where,
                                     Stimulus& stimulus) {
  const v1::Description ours = describe(rig, 0);
  for (const v1::Actuator& actuator : recorded.actuators()) {
    const Result<std::size_t> index = find_actuator(rig.spec.plant, actuator.name(), where);
    if (!index) return index.error();
    const std::string& unit = ours.actuators(static_cast<int>(*index)).unit();
    if (unit != actuator.unit()) {
      return Error{where, in_quotes(actuator.name()) + " was recorded in " + in_quotes(actuator.unit()) +
                              ", the rig has it in " + in_quotes(unit)};
    }
    stimulus.actuators.push_back(*index);
  }
  if (stimulus.actuators.empty()) return Error{where, "the record has no actuators"};
  return std::nullopt;
}

Result<Stimulus> load_record(const PlaybackAdapterSpec& spec, const LoadedRig& rig) {
  auto reader = record::RecordReader::open(spec.file);
  if (!reader) return reader.error();
  const v1::Description& recorded = reader->facts().description;
  if (!(recorded.dt_s() > 0.0)) return Error{spec.file.string(), "the record does not tell how long a step was"};
  Stimulus stimulus;
  if (const auto error = match_actuators(recorded, rig, spec.file.string(), stimulus)) return *error;
  reader->want({record::RecordChannel::kInputs});
  std::uint64_t steps = 0;  // since the first one of the record
  std::uint64_t last = 0;
  for (;;) {
    const auto item = reader->next();
    if (!item) return item.error();
    if (*item == nullptr) break;
    const auto* input = std::get_if<const v1::StepInput*>(&(*item)->message);
    if (input == nullptr) continue;
    const std::span<const double> row((*input)->command().data(), static_cast<std::size_t>((*input)->command_size()));
    const std::uint64_t step = (*input)->step();
    if (row.size() != stimulus.actuators.size()) {
      return reader->error_here("step " + std::to_string(step) + " has " + std::to_string(row.size()) + " values for " +
                                std::to_string(stimulus.actuators.size()) + " actuators");
    }
    const std::string where = spec.file.string() + ": step " + std::to_string(step);
    if (const auto error = objection(stimulus, row, rig.spec, where)) return *error;
    // Steps that are missing were held; a state that was restored set them back, but time went on.
    if (stimulus.rows() > 0) steps += step > last ? step - last : 1;
    last = step;
    add_row(static_cast<double>(steps) * recorded.dt_s(), row, stimulus);
  }
  if (stimulus.rows() > 0) stimulus.end_s = static_cast<double>(steps + 1) * recorded.dt_s();
  return stimulus;
}

}  // namespace

void Stimulus::sample(double at_s, Interpolation interpolation, std::span<double> out) const noexcept {
  const auto next = static_cast<std::size_t>(std::upper_bound(time_s.begin(), time_s.end(), at_s) - time_s.begin());
  const std::size_t here = next > 0 ? next - 1 : 0;
  std::copy_n(row(here).begin(), out.size(), out.begin());
  if (interpolation == Interpolation::kHold || next == 0 || next == rows()) return;
  const double share = (at_s - time_s[here]) / (time_s[next] - time_s[here]);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] += share * (row(next)[i] - out[i]);
}

Result<Stimulus> load_stimulus(const PlaybackAdapterSpec& spec, const LoadedRig& rig) {
  const bool is_record = spec.file.extension() == ".mcap";
  Result<Stimulus> stimulus = is_record ? load_record(spec, rig) : load_csv(spec, rig.spec);
  if (!stimulus) return stimulus;
  if (stimulus->rows() == 0) return Error{spec.file.string(), "there is no row in it"};
  if (spec.repeat && !(stimulus->end_s - stimulus->time_s.front() >= rig.spec.plant.dt_s)) {
    return Error{spec.file.string(), "is shorter than a step of the rig: there is nothing to repeat"};
  }
  return stimulus;
}

}  // namespace kinloop::io
