// Faults, overrides, forces, captures.
#include "services/io/signal_verbs.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/base/nearest_name.hpp"
#include "services/io/times.hpp"
#include "services/wire/change_codec.hpp"

namespace kinloop::io {
namespace {

constexpr double kLongestTime_s = 1e6;
constexpr double kMaxValue = 1e15;
constexpr std::int64_t kNumber = sizeof(double);
constexpr std::int64_t kCapturedFrame = 2 * kNumber + 8;  // bytes of one frame without its values, or of what is around

/// Sensors first, then actuators, as StepChange counts them.
std::vector<std::string_view> signal_names(const PlantSpec& plant) {
  std::vector<std::string_view> names;
  names.reserve(plant.sensors.size() + plant.actuators.size());
  for (const SensorSpec& sensor : plant.sensors) names.push_back(sensor.name);
  for (const ActuatorSpec& actuator : plant.actuators) names.push_back(actuator.name);
  return names;
}

std::optional<std::uint32_t> position_of(std::string_view name, const std::vector<std::string_view>& names) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<std::uint32_t>(found - names.begin());
}

std::string unknown(std::string_view kind, std::string_view name, const std::vector<std::string_view>& names) {
  return "no " + std::string(kind) + " is named " + in_quotes(name) + did_you_mean(name, names);
}

bool is_number(double value) { return std::abs(value) <= kMaxValue; }
bool is_duration(double time_s) { return time_s >= 0.0 && time_s <= kLongestTime_s; }

/// What is wrong with the value of a fault; nothing where it is fine.
std::optional<std::string> value_objection(SignalFault fault, double value, double longest_delay_s) {
  if (!is_number(value)) return "is no finite number";
  if (fault == SignalFault::kNoise && value < 0.0) return "a standard deviation is not negative";
  if (fault == SignalFault::kDrop && (value < 0.0 || value > 1.0)) return "a share lies between 0 and 1";
  if (fault == SignalFault::kDelay && (value < 0.0 || value > longest_delay_s)) {
    return "delays up to " + std::to_string(longest_delay_s) + " s can be injected: longest_fault_delay of the rig";
  }
  return std::nullopt;
}

}  // namespace

void SignalVerbs::list(VerbTable& verbs) {
  verbs.add(Request::kInjectFault, this, &SignalVerbs::inject_fault);
  verbs.add(Request::kClearFaults, this, &SignalVerbs::clear_faults);
  verbs.add(Request::kOverride, this, &SignalVerbs::override_signal);
  verbs.add(Request::kApplyForce, this, &SignalVerbs::apply_force);
  verbs.add(Request::kCapture, this, &SignalVerbs::capture);
}

std::uint64_t SignalVerbs::steps_of(double duration_s) const {
  if (duration_s == 0.0) return 0;
  return static_cast<std::uint64_t>(std::max(1LL, std::llround(duration_s / parts_.rig.spec.plant.dt_s)));
}

void SignalVerbs::change_plant(const CallPtr& call, const StepChange& change) {
  rt::Request request;
  request.kind = rt::RequestKind::kChange;
  request.change = change;
  ask_plant(call, request);
}

void SignalVerbs::inject_fault(const CallPtr& call) {
  const v1::InjectFaultRequest& fault = call->request.inject_fault();
  const PlantSpec& plant = parts_.rig.spec.plant;
  const auto names = signal_names(plant);
  const auto signal = position_of(fault.signal(), names);
  StepChange change;
  change.kind = ChangeKind::kFault;
  change.fault = wire::fault_of(fault.kind());
  change.value = fault.value();
  if (!signal) return refuse(call, v1::ERROR_CODE_UNKNOWN_NAME, unknown("signal", fault.signal(), names), "signal");
  if (change.fault == SignalFault::kNone) return refuse(call, v1::ERROR_CODE_INVALID, "there is no such fault", "kind");
  if (const auto objection = value_objection(change.fault, fault.value(), plant.longest_fault_delay_s)) {
    return refuse(call, v1::ERROR_CODE_INVALID, *objection, "value");
  }
  if (!is_duration(fault.duration_s())) {
    return refuse(call, v1::ERROR_CODE_INVALID, "0 to 1e6 seconds", "duration_s");
  }
  change.target = *signal;
  change.steps = steps_of(fault.duration_s());
  rt::Request request;
  request.kind = rt::RequestKind::kChange;
  request.change = change;
  request.id = call->plant_id();
  parts_.plant.ask(request, call->now_ns, [this, call, change](const rt::Reply* reply) {
    if (!judge(call, reply)) return;
    call->reply.mutable_fault()->set_until_step(change.steps == 0 ? 0 : reply->step + change.steps);
    const v1::InjectFaultRequest& injected = call->request.inject_fault();
    parts_.tell("fault", reply->step, 0, injected.signal() + " " + std::string(name_of(change.fault)));
    finish(call);
  });
}

void SignalVerbs::clear_faults(const CallPtr& call) {
  const std::string& name = call->request.clear_faults().signal();
  const auto names = signal_names(parts_.rig.spec.plant);
  StepChange change;
  if (!name.empty()) {
    const auto signal = position_of(name, names);
    if (!signal) return refuse(call, v1::ERROR_CODE_UNKNOWN_NAME, unknown("signal", name, names), "signal");
    change.target = *signal;
  }
  change_plant(call, change);
}

void SignalVerbs::override_signal(const CallPtr& call) {
  const v1::OverrideRequest& request = call->request.override();
  const auto names = signal_names(parts_.rig.spec.plant);
  const auto signal = position_of(request.signal(), names);
  if (!signal) return refuse(call, v1::ERROR_CODE_UNKNOWN_NAME, unknown("signal", request.signal(), names), "signal");
  if (!is_number(request.value())) return refuse(call, v1::ERROR_CODE_INVALID, "is no finite number", "value");
  if (!is_duration(request.duration_s())) {
    return refuse(call, v1::ERROR_CODE_INVALID, "0 to 1e6 seconds", "duration_s");
  }
  StepChange change;
  change.kind = ChangeKind::kOverride;
  change.target = *signal;
  change.value = request.value();
  change.off = request.off() ? 1 : 0;
  change.steps = steps_of(request.duration_s());
  change_plant(call, change);
}

void SignalVerbs::apply_force(const CallPtr& call) {
  const v1::ApplyForceRequest& request = call->request.apply_force();
  const Model& model = parts_.rig.model.model;
  std::vector<std::string_view> bodies;
  for (int i = 1; i < model.body_count(); ++i) bodies.push_back(model.body_name(i));
  const auto body = position_of(request.body(), bodies);
  if (!body) return refuse(call, v1::ERROR_CODE_UNKNOWN_NAME, unknown("body", request.body(), bodies), "body");
  StepChange change;
  change.kind = ChangeKind::kForce;
  change.target = *body + 1;
  change.steps = steps_of(is_duration(request.duration_s()) ? request.duration_s() : 0.0);
  if (!is_duration(request.duration_s())) {
    return refuse(call, v1::ERROR_CODE_INVALID, "0 to 1e6 seconds", "duration_s");
  }
  const struct {
    const char* name;
    const google::protobuf::RepeatedField<double>& values;
    std::size_t at;
  } parts[] = {{"point", request.point(), 0}, {"force", request.force(), 3}, {"moment", request.moment(), 6}};
  for (const auto& part : parts) {
    const bool is_vector = part.values.size() == 3 && std::all_of(part.values.begin(), part.values.end(), is_number);
    if (!is_vector && !part.values.empty()) {
      return refuse(call, v1::ERROR_CODE_INVALID, "three finite numbers, or none", part.name);
    }
    std::copy(part.values.begin(), part.values.end(), change.wrench.begin() + static_cast<std::ptrdiff_t>(part.at));
  }
  change_plant(call, change);
}

void SignalVerbs::capture(const CallPtr& call) {
  const v1::CaptureRequest& request = call->request.capture();
  const std::vector<SensorSpec>& sensors = parts_.rig.spec.plant.sensors;
  std::vector<std::string_view> names;
  names.reserve(sensors.size());
  for (const SensorSpec& sensor : sensors) names.push_back(sensor.name);
  const auto sensor = request.condition() == v1::CONDITION_FLAGGED && request.sensor().empty()
                          ? std::optional<std::uint32_t>(0)
                          : position_of(request.sensor(), names);
  if (!sensor) return refuse(call, v1::ERROR_CODE_UNKNOWN_NAME, unknown("sensor", request.sensor(), names), "sensor");
  if (request.condition() < v1::CONDITION_RISES || request.condition() > v1::CONDITION_FLAGGED) {
    return refuse(call, v1::ERROR_CODE_INVALID, "there is no such condition", "condition");
  }
  if (request.steps_before() > Capture::kMaxBefore || request.steps_after() > Capture::kMaxAfter) {
    return refuse(call, v1::ERROR_CODE_INVALID, "up to 4096 frames before and 20000 after", "steps_before");
  }
  if (!is_number(request.level()) || !is_duration(request.patience_s())) {
    return refuse(call, v1::ERROR_CODE_INVALID, "level and patience are finite numbers", "level");
  }
  constexpr double kUsualPatience_s = 60.0;
  const double patience_s = request.patience_s() > 0.0 ? request.patience_s() : kUsualPatience_s;
  const std::int64_t frame_bytes = kCapturedFrame + kNumber * static_cast<std::int64_t>(sensors.size());
  const std::int64_t max_frames = (static_cast<std::int64_t>(kMaxAnswerBytes) - kCapturedFrame) / frame_bytes;
  if (std::int64_t{1} + request.steps_before() + request.steps_after() > max_frames) {
    return refuse(call, v1::ERROR_CODE_TOO_LARGE,
                  "the answer would be too large: at this rig up to " + std::to_string(max_frames) + " frames in all",
                  "steps_after");
  }
  // By the thread of the frames, or the main one. The answer is made by a third, which has time for it.
  const auto done = [this, call](v1::CaptureReply* captured) {
    if (captured == nullptr) {
      return parts_.tasks.post(
          [this, call] { refuse(call, v1::ERROR_CODE_CANCELLED, "cancelled, or the condition was not met in time"); });
    }
    call->reply.set_step(captured->trigger_step());
    call->reply.mutable_capture()->Swap(captured);
    parts_.trials.add_bounded([this, call](JobControl& /*control*/) {
      parts_.tasks.post([this, call, answer = serialise(*call)] {
        parts_.tell("triggered", call->reply.step(), 0, call->request.capture().sensor());
        finish(call, answer);
      });
    });
  };
  const std::uint64_t key = call->key();
  if (!parts_.capture.begin(key, call->sender(), request, *sensor, later(call->now_ns, patience_s), done)) {
    refuse(call, v1::ERROR_CODE_BUSY, "too many captures wait already");
  }
}

}  // namespace kinloop::io
