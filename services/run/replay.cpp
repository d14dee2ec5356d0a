// Steps a plant with the recorded inputs, without a clock, and compares hashes of states.
#include "services/run/replay.hpp"

#include <map>

#include "core/base/stepping_mode.hpp"
#include "core/plant/plant.hpp"
#include "rt/messages/state_hash.hpp"
#include "services/io/snapshot_codec.hpp"
#include "services/record/record_reader.hpp"
#include "services/rig/rig_file.hpp"
#include "services/run/unpacked_record.hpp"
#include "services/wire/change_codec.hpp"

namespace kinloop::run {
namespace {

using record::RecordChannel;

/// A plant that does again what was recorded.
class Repetition {
 public:
  explicit Repetition(std::filesystem::path rig_file) : rig_file_(std::move(rig_file)) {}

  /// The plant with these parameters, in the state that is in force.
  std::optional<Error> make(const io::ParameterList& parameters) {
    auto rig = load_rig(rig_file_, parameters, FormerKeys::kAccepted);
    if (!rig) return rig.error().front();
    plant_.reset();
    rig_.emplace(std::move(rig).value());
    auto plant = Plant::make(rig_->model.model, rig_->spec.plant);
    if (!plant) return plant.error();
    plant_ = std::move(plant).value();
    State first = plant_->initial_state();
    const bool goes_on = state_ && state_->block().size() == first.block().size();
    if (goes_on) {
      first_ = std::move(first);
      state_->set_history_count(0);  // as the loop does
    } else {
      first_ = first;
      state_ = std::move(first);
    }
    readings_.resize(plant_->sensor_count());
    return std::nullopt;
  }

  std::optional<Error> restore(const v1::RecordedSnapshot& recorded) {
    if (!recorded.has_snapshot()) {
      state_->block() = first_->block();
      return std::nullopt;
    }
    const v1::Snapshot& snapshot = recorded.snapshot();
    const std::span<const double> block(snapshot.block().data(), static_cast<std::size_t>(snapshot.block_size()));
    const bool is_start = recorded.number() == 0;
    if (is_start && snapshot.parameters_size() > 0) {
      if (auto error = make(io::parameters_of(snapshot))) return error;
    }
    if (!plant_->accepts(block)) return Error{"snapshot", "is no state of this plant: the record is damaged"};
    std::copy(block.begin(), block.end(), state_->block().data());
    return std::nullopt;
  }

  /// Whether the state after it is the recorded one; an error where it cannot be an input of this plant.
  Result<bool> step(const v1::StepInput& recorded) {
    StepInput input;
    input.level = static_cast<std::int32_t>(recorded.level());
    input.frozen = recorded.frozen() ? 1 : 0;
    input.count = static_cast<std::uint32_t>(recorded.command_size());
    input.stopped = recorded.stopped();
    const bool fits = input.count == plant_->actuator_count() && recorded.level() < rig_->spec.plant.levels.size() &&
                      recorded.changes_size() <= static_cast<int>(kMaxChanges);
    if (!fits)
      return Error{"step " + std::to_string(recorded.step()), "is no input of this plant: the record is damaged"};
    std::copy(recorded.command().begin(), recorded.command().end(), input.command.begin());
    for (const v1::StepChange& change : recorded.changes()) input.change[input.changes++] = wire::change_of(change);
    if (is_done(plant_->step(input, *state_))) plant_->sense(*state_, readings_);
    return rt::state_hash(*state_) == recorded.state_hash();
  }

  std::uint64_t steps() const noexcept { return state_->step(); }
  double time_s() const noexcept { return state_->time_s(); }
  const std::string& name() const noexcept { return rig_->spec.name; }

 private:
  std::filesystem::path rig_file_;
  std::optional<LoadedRig> rig_;
  std::unique_ptr<Plant> plant_;
  std::optional<State> first_, state_;
  std::vector<Reading> readings_;
};

/// What steps refer to by number.
struct Kept {
  std::map<std::uint64_t, v1::RecordedSnapshot> snapshots;
  std::map<std::uint64_t, io::ParameterList> parameters;
};

/// Puts in place what the step begins with.
std::optional<Error> prepare_step(const v1::StepInput& input, const Kept& kept, Repetition& plant) {
  const auto missing = [&](const char* what) -> std::optional<Error> {
    return Error{"step " + std::to_string(input.step()),
                 std::string("the record lacks the ") + what + " it begins with"};
  };
  const auto set_parameters = [&]() -> std::optional<Error> {
    if (input.parameters() == 0) return std::nullopt;
    const auto found = kept.parameters.find(input.parameters());
    return found != kept.parameters.end() ? plant.make(found->second) : missing("parameters");
  };
  const auto restore = [&]() -> std::optional<Error> {
    if (input.restored() == 0) return std::nullopt;
    const auto found = kept.snapshots.find(input.restored());
    return found != kept.snapshots.end() ? plant.restore(found->second) : missing("state");
  };
  std::optional<Error> error = input.parameters_last() ? restore() : set_parameters();
  if (!error) error = input.parameters_last() ? set_parameters() : restore();
  if (error) return error;
  // A failed step leaves the count where it was; else it goes up by one.
  if (input.step() == plant.steps() || input.step() == plant.steps() + 1) return std::nullopt;
  return Error{"step " + std::to_string(input.step()),
               "steps are missing before it: they were dropped while it was recorded"};
}

/// As the record itself says why, at its end.
Error with_reason(Error error, record::RecordReader& reader) {
  for (auto item = reader.next(); item && *item != nullptr; item = reader.next()) continue;
  if (reader.end() && !reader.end()->trouble.empty()) error.what += " (" + reader.end()->trouble + ")";
  return error;
}

/// Attachments are read from a folder that is gone by the time somebody looks for it: the record is what can be found.
Error within_record(Error error, const std::filesystem::path& folder, const std::filesystem::path& record) {
  for (std::string* text : {&error.where, &error.what}) {
    const std::string prefix = folder.string() + "/";
    for (std::size_t at = text->find(prefix); at != std::string::npos; at = text->find(prefix, at)) {
      text->replace(at, prefix.size(), record.string() + ": ");
    }
  }
  return error;
}

}  // namespace

Result<ReplayResult> replay(const std::filesystem::path& file,
                            const std::function<void(double share, double time_s)>& progress) {
  auto unpacked = unpack_record(file);
  if (!unpacked) return unpacked.error();
  record::RecordReader& reader = unpacked->reader;

  const SteppingMode floating_point;
  Repetition plant(unpacked->rig());
  if (const auto error = plant.make({})) return within_record(*error, unpacked->folder.path(), file);
  reader.want({RecordChannel::kInputs, RecordChannel::kSnapshots, RecordChannel::kParameters});
  ReplayResult result;
  result.rig = plant.name();
  Kept kept;
  while (true) {
    const auto item = reader.next();
    if (!item) return item.error();
    if (*item == nullptr) break;
    const auto& message = (*item)->message;
    if (const auto* snapshot = std::get_if<const v1::RecordedSnapshot*>(&message)) {
      if ((*snapshot)->number() == 0) {
        if (const auto error = plant.restore(**snapshot)) return *error;
      } else {
        kept.snapshots.insert_or_assign((*snapshot)->number(), **snapshot);
      }
    }
    if (const auto* parameters = std::get_if<const v1::RecordedParameters*>(&message)) {
      io::ParameterList& list = kept.parameters[(*parameters)->number()];
      for (const v1::ParameterValue& value : (*parameters)->values()) list.push_back({value.name(), value.value()});
    }
    const auto* input = std::get_if<const v1::StepInput*>(&message);
    if (input == nullptr) continue;
    if (const auto error = prepare_step(**input, kept, plant)) return with_reason(*error, reader);
    const Result<bool> agrees = plant.step(**input);
    if (!agrees) return agrees.error();
    if (!*agrees) {
      result.differs_at = (*input)->step();
      return result;
    }
    ++result.steps;
    constexpr std::size_t kBetweenSigns = 1024;
    if (result.steps % kBetweenSigns == 0) {
      progress(static_cast<double>(reader.position()) / static_cast<double>(reader.file_bytes()), plant.time_s());
    }
  }
  if (reader.cut_off()) result.remarks.emplace_back("the record was cut off: what followed is lost");
  return result;
}

}  // namespace kinloop::run
