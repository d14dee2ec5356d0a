// Reads inputs and sensor frames side by side, step by step.
#include "services/run/recorded_motion.hpp"

#include <cmath>
#include <limits>
#include <map>

#include "core/base/stepping_mode.hpp"
#include "rt/messages/frame.hpp"
#include "services/record/record_reader.hpp"
#include "services/run/unpacked_record.hpp"

namespace kinloop::run {
namespace {

using record::RecordChannel;

constexpr std::uint32_t kUnusable = rt::sensor_flag::kLost | rt::sensor_flag::kSaturated | rt::sensor_flag::kInvalid;

std::vector<double> usable_values(const v1::SensorFrame& frame) {
  std::vector<double> values(frame.value().begin(), frame.value().end());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto flags = i < frame.quality().size() ? static_cast<unsigned char>(frame.quality()[i]) : 0U;
    if ((flags & kUnusable) != 0U) values[i] = std::numeric_limits<double>::quiet_NaN();
  }
  return values;
}

/// Why a step is none of the model alone; empty: it is.
std::string hindrance_of(const v1::StepInput& input, std::size_t actuators) {
  if (input.restored() != 0) return "a state was restored";
  if (input.parameters() != 0) return "parameters were changed";
  if (input.changes_size() > 0) return "a fault or a force came";
  if (input.frozen()) return "the plant stood still";
  if (input.stopped() != 0) return "an emergency stop held it";
  if (static_cast<std::size_t>(input.command_size()) != actuators) return "it has other actuators";
  return {};
}

/// Sensors and actuators are the same, by name and order.
std::optional<Error> other_signals(const LoadedRig& recorded, const LoadedRig& given) {
  const PlantSpec& a = recorded.spec.plant;
  const PlantSpec& b = given.spec.plant;
  const auto same_names = [](const auto& one, const auto& other) {
    return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                      [](const auto& x, const auto& y) { return x.name == y.name; });
  };
  if (!same_names(a.actuators, b.actuators)) return Error{"--rig", "has other actuators than the record"};
  if (!same_names(a.sensors, b.sensors)) return Error{"--rig", "has other sensors than the record"};
  if (a.dt_s != b.dt_s) return Error{"--rig", "has another step than the record"};
  return std::nullopt;
}

Error first_of(const std::vector<Error>& errors) { return errors.front(); }

class MotionReading {
 public:
  MotionReading(RecordedMotion& motion, double duration_s) : motion_(motion), duration_s_(duration_s) {}

  std::optional<Error> read(record::RecordReader& reader) {
    reader.want({RecordChannel::kSensors, RecordChannel::kInputs, RecordChannel::kSnapshots});
    while (true) {
      const auto item = reader.next();
      if (!item) return item.error();
      if (*item == nullptr) break;
      const auto& message = (*item)->message;
      if (const auto* frame = std::get_if<const v1::SensorFrame*>(&message)) {
        frames_[(*frame)->step()] = usable_values(**frame);
      } else if (const auto* snapshot = std::get_if<const v1::RecordedSnapshot*>(&message)) {
        if (const auto error = begin(**snapshot)) return error;
      } else if (const auto* input = std::get_if<const v1::StepInput*>(&message)) {
        if (!take(**input)) break_off_ = true;
      }
    }
    put_readings();
    return std::nullopt;
  }

 private:
  std::optional<Error> begin(const v1::RecordedSnapshot& recorded) {
    if (recorded.number() != 0 || !recorded.has_snapshot()) return std::nullopt;
    State& start = motion_.observed->start;
    const v1::Snapshot& snapshot = recorded.snapshot();
    if (snapshot.block_size() != start.block().size()) {
      return Error{"snapshot", "the state in which the record begins is none of this rig"};
    }
    std::copy(snapshot.block().begin(), snapshot.block().end(), start.block().data());
    return std::nullopt;
  }

  bool take(const v1::StepInput& recorded) {
    if (break_off_) return false;
    const std::size_t actuators = motion_.rig.spec.plant.actuators.size();
    std::string hindrance = hindrance_of(recorded, actuators);
    if (hindrance.empty() && !steps_.empty() && recorded.step() != steps_.back() + 1) hindrance = "steps are missing";
    if (!hindrance.empty()) {
      motion_.remarks.push_back("step " + std::to_string(recorded.step()) +
                                " and what follows are left out: " + hindrance);
      return false;
    }
    const double time_s = static_cast<double>(steps_.size() + 1) * motion_.rig.spec.plant.dt_s;
    if (duration_s_ > 0.0 && time_s > duration_s_) return false;
    StepInput input;
    input.level = static_cast<std::int32_t>(recorded.level());
    input.count = static_cast<std::uint32_t>(actuators);
    std::copy(recorded.command().begin(), recorded.command().end(), input.command.begin());
    motion_.observed->inputs.push_back(input);
    steps_.push_back(recorded.step());
    return true;
  }

  void put_readings() {
    const std::vector<double> none(motion_.rig.spec.plant.sensors.size(), std::numeric_limits<double>::quiet_NaN());
    for (const std::uint64_t step : steps_) {
      const auto found = frames_.find(step);
      const bool fits = found != frames_.end() && found->second.size() == none.size();
      motion_.observed->readings.push_back(fits ? found->second : none);
    }
  }

  RecordedMotion& motion_;
  double duration_s_;
  bool break_off_ = false;
  std::map<std::uint64_t, std::vector<double>> frames_;
  std::vector<std::uint64_t> steps_;
};

}  // namespace

Result<std::unique_ptr<RecordedMotion>> read_recorded_motion(const std::filesystem::path& file,
                                                             const RecordedMotionChoice& choice) {
  auto unpacked = unpack_record(file);
  if (!unpacked) return unpacked.error();
  auto recorded = load_rig(unpacked->rig(), {}, FormerKeys::kAccepted);
  if (!recorded) return first_of(recorded.error());
  if (!choice.rig.empty()) {
    auto given = load_rig(choice.rig);
    if (!given) return first_of(given.error());
    if (const auto other = other_signals(*recorded, *given)) return *other;
    recorded = std::move(given);
  }
  auto motion = std::make_unique<RecordedMotion>(RecordedMotion{std::move(recorded).value(), std::nullopt, {}});
  const SteppingMode floating_point;
  const auto plant = Plant::make(motion->rig.model.model, motion->rig.spec.plant);
  if (!plant) return plant.error();
  motion->observed.emplace(Observation{(*plant)->initial_state(), {}, {}});
  MotionReading reading(*motion, choice.duration_s);
  if (const auto error = reading.read(unpacked->reader)) return *error;
  if (unpacked->reader.cut_off()) motion->remarks.emplace_back("the record was cut off: what followed is lost");
  return motion;
}

}  // namespace kinloop::run
