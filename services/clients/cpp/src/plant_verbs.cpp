// The verbs of the control socket, typed.
#include <kinloop/client/plant.hpp>
#include <kinloop/client/verb_properties.hpp>

#include <algorithm>
#include <cmath>

#include "src/plant_parts.hpp"

namespace kinloop::client {
namespace {

Plant::Milliseconds whole_milliseconds(double time_s) {
  return Plant::Milliseconds(static_cast<std::int64_t>(std::ceil(time_s * 1e3)));
}

/// Long enough for what is asked for.
Plant::Milliseconds timeout_of(const v1::ControlRequest& request, const Options& options) {
  switch (properties_of(request.verb_case()).timeout()) {
    case v1::TIMEOUT_PATIENCE: {  // of a capture: no other verb has it
      constexpr double kDefaultPatience_s = 60.0;
      constexpr double kMaxPatience_s = 1e6;
      const double patience_s =
          request.capture().patience_s() > 0.0 ? request.capture().patience_s() : kDefaultPatience_s;
      return options.timeout + whole_milliseconds(std::min(patience_s, kMaxPatience_s));
    }
    case v1::TIMEOUT_LONG:
      return options.job_timeout;
    default:
      return options.timeout;
  }
}

Error other_answer() {
  return {ErrorKind::kBadReply,
          "the plant gave another kind of answer than this request has: is it of another version?"};
}

/// The one kind of answer that this request has.
template <class Part>
Result<Part> part_of(Result<v1::ControlReply> reply, bool (v1::ControlReply::*has)() const,
                     Part* (v1::ControlReply::*part)()) {
  if (!reply) return reply.error();
  if (!((*reply).*has)()) return other_answer();
  return std::move(*((*reply).*part)());
}

/// Commands of a way that go into one answer, whatever the plant's states are: it has at most two for each speed and
/// what its devices remember, which is part of state_size().
int part_size(const v1::Description& plant, int width) {
  constexpr double kAnswerBytes = 8e6;  // half of what a plant sends at most
  const double states = plant.state_size();
  const double row = 8.0 * (states + plant.sensors_size()) * (states + width + 1);
  return width * static_cast<int>(std::clamp(kAnswerBytes / row, 1.0, 1e6));
}

/// A part of a way behind those before it. Its first x is the last of theirs, in names and numbers.
void append(v1::LinearizeTrajectoryReply part, v1::LinearizeTrajectoryReply& whole) {
  if (whole.x_size() == 0) {
    whole = std::move(part);
    return;
  }
  const auto behind = [](const google::protobuf::RepeatedField<double>& from, int first,
                         google::protobuf::RepeatedField<double>& to) { to.Add(from.begin() + first, from.end()); };
  behind(part.x(), part.states_size(), *whole.mutable_x());
  behind(part.a(), 0, *whole.mutable_a());
  behind(part.b(), 0, *whole.mutable_b());
  behind(part.y(), 0, *whole.mutable_y());
  behind(part.c(), 0, *whole.mutable_c());
  behind(part.d(), 0, *whole.mutable_d());
  for (const std::string& warning : part.warnings()) whole.add_warnings(warning);
  *whole.mutable_end() = std::move(*part.mutable_end());
  whole.set_complete(part.complete());
}

void add_all(const std::array<double, 3>& numbers, google::protobuf::RepeatedField<double>& to) {
  to.Add(numbers.begin(), numbers.end());
}

}  // namespace

Result<v1::ControlReply> Plant::request(v1::ControlRequest request, Milliseconds timeout) {
  if (timeout.count() <= 0) timeout = timeout_of(request, parts_->options);
  const bool is_job = properties_of(request.verb_case()).job();
  return parts_->control.ask(request, timeout, is_job ? Asking::kOnce : Asking::kAgain);
}

Result<Effect> Plant::effect_of(v1::ControlRequest asked) {
  const Result<v1::ControlReply> reply = request(std::move(asked));
  if (!reply) return reply.error();
  if (!reply->has_done()) return other_answer();
  return Effect{reply->step(), reply->repeated_answer()};
}

Result<v1::Status> Plant::status() {
  v1::ControlRequest asked;
  asked.mutable_status();
  return part_of(request(std::move(asked)), &v1::ControlReply::has_status, &v1::ControlReply::mutable_status);
}

Result<v1::Timing> Plant::timing() {
  v1::ControlRequest asked;
  asked.mutable_timing();
  return part_of(request(std::move(asked)), &v1::ControlReply::has_timing, &v1::ControlReply::mutable_timing);
}

Result<Effect> Plant::start() {
  v1::ControlRequest asked;
  asked.mutable_start();
  return effect_of(std::move(asked));
}

Result<Effect> Plant::pause() {
  v1::ControlRequest asked;
  asked.mutable_pause();
  return effect_of(std::move(asked));
}

Result<Effect> Plant::resume() {
  v1::ControlRequest asked;
  asked.mutable_resume();
  return effect_of(std::move(asked));
}

Result<Effect> Plant::step_n(std::uint64_t steps) {
  v1::ControlRequest asked;
  asked.mutable_step()->set_steps(steps);
  return effect_of(std::move(asked));
}

Result<Effect> Plant::reset() {
  v1::ControlRequest asked;
  asked.mutable_reset();
  return effect_of(std::move(asked));
}

Result<Effect> Plant::set_parameters(const std::vector<std::pair<std::string, std::string>>& values) {
  v1::ControlRequest asked;
  asked.mutable_set_parameters();
  for (const auto& [name, value] : values) {
    v1::ParameterValue& added = *asked.mutable_set_parameters()->add_values();
    added.set_name(name);
    added.set_value(value);
  }
  const Result<v1::ControlReply> reply = request(std::move(asked));
  if (!reply) return reply.error();
  if (!reply->has_parameters()) return other_answer();
  return Effect{reply->step(), reply->repeated_answer()};
}

Result<std::vector<std::pair<std::string, std::string>>> Plant::get_parameters(const std::vector<std::string>& names) {
  v1::ControlRequest asked;
  asked.mutable_get_parameters()->mutable_names()->Add(names.begin(), names.end());
  const Result<v1::ControlReply> reply = request(std::move(asked));
  if (!reply) return reply.error();
  if (!reply->has_parameters()) return other_answer();
  std::vector<std::pair<std::string, std::string>> values;
  for (const v1::ParameterValue& one : reply->parameters().values()) values.emplace_back(one.name(), one.value());
  return values;
}

Result<v1::Snapshot> Plant::snapshot() {
  v1::ControlRequest asked;
  asked.mutable_snapshot();
  return part_of(request(std::move(asked)), &v1::ControlReply::has_snapshot, &v1::ControlReply::mutable_snapshot);
}

Result<Effect> Plant::restore(const v1::Snapshot& snapshot) {
  v1::ControlRequest asked;
  *asked.mutable_restore()->mutable_snapshot() = snapshot;
  return effect_of(std::move(asked));
}

Result<FaultEffect> Plant::inject_fault(const std::string& signal, v1::FaultKind kind, double value, Seconds time) {
  v1::ControlRequest asked;
  v1::InjectFaultRequest& fault = *asked.mutable_inject_fault();
  fault.set_signal(signal);
  fault.set_kind(kind);
  fault.set_value(value);
  fault.set_duration_s(time.count());
  const Result<v1::ControlReply> reply = request(std::move(asked));
  if (!reply) return reply.error();
  if (!reply->has_fault()) return other_answer();
  return FaultEffect{reply->step(), reply->fault().until_step()};
}

Result<Effect> Plant::clear_faults(const std::string& signal) {
  v1::ControlRequest asked;
  asked.mutable_clear_faults()->set_signal(signal);
  return effect_of(std::move(asked));
}

Result<Effect> Plant::override_signal(const std::string& signal, double value, Seconds time) {
  v1::ControlRequest asked;
  asked.mutable_override()->set_signal(signal);
  asked.mutable_override()->set_value(value);
  asked.mutable_override()->set_duration_s(time.count());
  return effect_of(std::move(asked));
}

Result<Effect> Plant::end_override(const std::string& signal) {
  v1::ControlRequest asked;
  asked.mutable_override()->set_signal(signal);
  asked.mutable_override()->set_off(true);
  return effect_of(std::move(asked));
}

Result<Effect> Plant::apply_force(const Push& push) {
  v1::ControlRequest asked;
  v1::ApplyForceRequest& force = *asked.mutable_apply_force();
  force.set_body(push.body);
  add_all(push.point, *force.mutable_point());
  add_all(push.force, *force.mutable_force());
  add_all(push.moment, *force.mutable_moment());
  force.set_duration_s(push.time_s);
  return effect_of(std::move(asked));
}

Result<v1::CaptureReply> Plant::capture(const Trigger& trigger) {
  v1::ControlRequest asked;
  v1::CaptureRequest& capture = *asked.mutable_capture();
  capture.set_sensor(trigger.sensor);
  capture.set_condition(trigger.condition);
  capture.set_level(trigger.level);
  capture.set_steps_before(trigger.steps_before);
  capture.set_steps_after(trigger.steps_after);
  capture.set_patience_s(trigger.patience_s);
  return part_of(request(std::move(asked)), &v1::ControlReply::has_capture, &v1::ControlReply::mutable_capture);
}

Result<Effect> Plant::rearm(const std::vector<std::string>& actuators) {
  v1::ControlRequest asked;
  asked.mutable_rearm()->mutable_actuators()->Add(actuators.begin(), actuators.end());
  return effect_of(std::move(asked));
}

Result<Effect> Plant::emergency_stop() {
  const Options& options = parts_->options;
  const StopOutcome outcome =
      ask_until_confirmed(parts_->stop_channel(), &parts_->control, Clock::now() + options.timeout, options.gives_up);
  if (outcome.receipt) return Effect{outcome.receipt->step, false, outcome.receipt->tick};
  if (!outcome.reply) return parts_->control.no_answer(options.timeout);
  if (!*outcome.reply) return outcome.reply->error();
  return Effect{(*outcome.reply)->step(), (*outcome.reply)->repeated_answer(), (*outcome.reply)->tick()};
}

Result<v1::LinearizeReply> Plant::linearize(const v1::LinearizeRequest& around) {
  v1::ControlRequest asked;
  *asked.mutable_linearize() = around;
  return part_of(request(std::move(asked)), &v1::ControlReply::has_linearization,
                 &v1::ControlReply::mutable_linearization);
}

Result<v1::RolloutReply> Plant::rollout(const v1::RolloutRequest& sequences) {
  v1::ControlRequest asked;
  *asked.mutable_rollout() = sequences;
  return part_of(request(std::move(asked)), &v1::ControlReply::has_rollout, &v1::ControlReply::mutable_rollout);
}

Result<v1::LinearizeTrajectoryReply> Plant::linearize_trajectory(const v1::LinearizeTrajectoryRequest& way) {
  const int width = std::max(1, description().actuators_size());
  v1::LinearizeTrajectoryReply whole;
  v1::ControlRequest asked;
  v1::LinearizeTrajectoryRequest& part = *asked.mutable_linearize_trajectory();
  part = way;
  int done = 0;
  while (true) {
    const int left = way.commands_size() - done;
    part.mutable_commands()->Assign(way.commands().begin() + done,
                                    way.commands().begin() + done + std::min(left, part_size(description(), width)));
    auto reply = part_of(request(asked), &v1::ControlReply::has_trajectory, &v1::ControlReply::mutable_trajectory);
    if (!reply) return reply.error();
    done += part.commands_size();
    part.clear_state();
    *part.mutable_independent() = reply->independent();
    *part.mutable_block() = reply->end();
    append(std::move(*reply), whole);
    if (!whole.complete() || done >= way.commands_size()) return whole;
  }
}

Result<v1::TrimReply> Plant::trim(const v1::TrimRequest& given) {
  v1::ControlRequest asked;
  *asked.mutable_trim() = given;
  return part_of(request(std::move(asked)), &v1::ControlReply::has_trim, &v1::ControlReply::mutable_trim);
}

Result<v1::RecordReply> Plant::start_record(const std::string& name) {
  v1::ControlRequest asked;
  asked.mutable_record()->set_name(name);
  return part_of(request(std::move(asked)), &v1::ControlReply::has_record, &v1::ControlReply::mutable_record);
}

Result<v1::RecordReply> Plant::stop_record() {
  v1::ControlRequest asked;
  asked.mutable_record()->set_stop(true);
  return part_of(request(std::move(asked)), &v1::ControlReply::has_record, &v1::ControlReply::mutable_record);
}

Result<Effect> Plant::note(const std::string& text) {
  v1::ControlRequest asked;
  asked.mutable_note()->set_text(text);
  return effect_of(std::move(asked));
}

Result<Effect> Plant::cancel(std::uint64_t request_id) {
  v1::ControlRequest asked;
  asked.mutable_cancel()->set_request_id(request_id);
  return effect_of(std::move(asked));
}

Result<Effect> Plant::shutdown() {
  v1::ControlRequest asked;
  asked.mutable_shutdown();
  return effect_of(std::move(asked));
}

}  // namespace kinloop::client
