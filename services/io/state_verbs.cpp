// One change of parameters or state after the other.
#include "services/io/state_verbs.hpp"

#include <algorithm>

#include "core/base/nearest_name.hpp"
#include "services/io/snapshot_codec.hpp"

namespace kinloop::io {
namespace {

std::string unknown_parameter(std::string_view name, const LiveParameters& live_parameters) {
  std::vector<std::string_view> names;
  for (const ParameterSetting& setting : live_parameters.all()) names.push_back(setting.name);
  return "the model has no parameter " + in_quotes(name) + did_you_mean(name, names);
}

}  // namespace

void StateVerbs::list(VerbTable& verbs) {
  verbs.add(Request::kGetParameters, this, &StateVerbs::get_parameters);
  verbs.add(Request::kSetParameters, this, &StateVerbs::set_parameters);
  verbs.add(Request::kSnapshot, this, &StateVerbs::snapshot);
  verbs.add(Request::kRestore, this, &StateVerbs::restore);
}

void StateVerbs::get_parameters(const CallPtr& call) {
  const LiveParameters& live = parts_.live_parameters;
  ParameterList asked;
  if (call->request.get_parameters().names().empty()) asked = live.all();
  for (const std::string& name : call->request.get_parameters().names()) {
    const ParameterSetting* setting = live.find(name);
    if (setting == nullptr) return refuse(call, v1::ERROR_CODE_UNKNOWN_NAME, unknown_parameter(name, live), "names");
    asked.push_back(*setting);
  }
  v1::ParametersReply& reply = *call->reply.mutable_parameters();
  to_wire(asked, *reply.mutable_values());
  for (const ParameterSetting& setting : asked) {
    if (live.is_derived(setting)) reply.add_derived(setting.name);
  }
  finish(call);
}

void StateVerbs::set_parameters(const CallPtr& call) {
  ParameterList wanted;
  for (const v1::ParameterValue& value : call->request.set_parameters().values()) {
    wanted.push_back({value.name(), value.value()});
  }
  if (!are_sound(call, wanted, "values")) return;
  if (wanted.empty()) return refuse(call, v1::ERROR_CODE_INVALID, "names no parameter", "values");
  tune([this, call, wanted] {
    begin_tuning(call, parts_.live_parameters.with(wanted), {},
                 [call, wanted] { to_wire(wanted, *call->reply.mutable_parameters()->mutable_values()); });
  });
}

/// Whether all are parameters of the model, with values that fit on a line; else the call is answered.
bool StateVerbs::are_sound(const CallPtr& call, const ParameterList& parameters, const char* field) {
  for (const ParameterSetting& setting : parameters) {
    if (parts_.live_parameters.find(setting.name) == nullptr) {
      refuse(call, v1::ERROR_CODE_UNKNOWN_NAME, unknown_parameter(setting.name, parts_.live_parameters), field);
      return false;
    }
    if (setting.value.find_first_of(std::string_view("\n\t\0", 3)) != std::string::npos) {
      refuse(call, v1::ERROR_CODE_INVALID, setting.name + ": a number or an expression, on one line", field);
      return false;
    }
  }
  return true;
}

/// When its turn comes.
void StateVerbs::tune(std::function<void()> begin) {
  tunings_.push_back(std::move(begin));
  if (tunings_.size() == 1) tunings_.front()();
}

/// One is done, or refused.
void StateVerbs::next_tuning() {
  tunings_.pop_front();
  if (!tunings_.empty()) tunings_.front()();
}

/// Rebuilds the plant with these parameters, in this state if there is one, and answers the call; `fill` puts into
/// the reply what it says besides the step.
void StateVerbs::begin_tuning(const CallPtr& call, const ParameterList& changed, BroughtState state,
                              const std::function<void()>& fill) {
  const std::uint64_t number = std::max(last_set_, parts_.live_parameters.number()) + 1;
  last_set_ = number;
  parts_.recorder.add_parameters(number, changed);
  const bool has_state = state.number != 0;
  const auto answer = [=, this](const rt::Reply* reply, const std::string& refusal) {
    if (reply != nullptr && reply->status == rt::ReplyStatus::kDone) {
      parts_.live_parameters.set(changed, number);
      list_in_description();
      call->reply.set_step(reply->step);
      fill();
      finish(call);
    } else if (reply != nullptr) {
      refuse_state(call);
    } else if (refusal.empty()) {
      refuse(call, v1::ERROR_CODE_PLANT,
             "the plant was not rebuilt in time; after a reset or a restored state and one set of parameters, the next "
             "waits for a step");
    } else {
      refuse(call, v1::ERROR_CODE_INVALID, refusal, has_state ? "snapshot.parameters" : "values");
    }
    next_tuning();
  };
  if (parts_.plant.build(to_lines(changed), number, call->now_ns, answer, std::move(state))) return;
  refuse(call, v1::ERROR_CODE_INVALID, "these are too many parameters at once",
         has_state ? "snapshot.parameters" : "values");
  next_tuning();
}

void StateVerbs::list_in_description() {
  parts_.description.clear_parameters();
  to_wire(parts_.live_parameters.all(), *parts_.description.mutable_parameters());
}

void StateVerbs::snapshot(const CallPtr& call) {
  with_state(call, [this, call](const rt::SnapshotBuffer& buffer, std::span<const double> block, std::uint64_t step) {
    *call->reply.mutable_snapshot() =
        snapshot_of(parts_.description, buffer, block, step, parts_.live_parameters.changed());
    finish(call);
  });
}

void StateVerbs::restore(const CallPtr& call) {
  const v1::Snapshot& snapshot = call->request.restore().snapshot();
  if (const auto objection = objection_to(snapshot, parts_.description)) {
    return refuse(call, v1::ERROR_CODE_SCHEMA, *objection, "snapshot");
  }
  if (!are_sound(call, parameters_of(snapshot), "snapshot.parameters")) return;
  const auto work = [this, call](JobControl& /*control*/) {
    const std::optional<Error> flaw = trial_.flaw_of(call->request.restore().snapshot());
    parts_.tasks.post([this, call, flaw] {
      if (!flaw) return put_back(call);
      refuse(call, v1::ERROR_CODE_SCHEMA, "the snapshot is damaged, or of no use: " + flaw->where + " " + flaw->what,
             "snapshot." + flaw->where);
    });
  };
  if (!parts_.trials.add(call->key(), call->sender(), work)) {
    refuse(call, v1::ERROR_CODE_BUSY, "too many snapshots wait already");
  }
}

/// Parameters and state at once: the plant never steps with the one and without the other.
void StateVerbs::put_back(const CallPtr& call) {
  const v1::Snapshot& snapshot = call->request.restore().snapshot();
  const auto fill_buffer = [this, call] {
    put_into_buffer(call->request.restore().snapshot(), parts_.memory.incoming, parts_.memory.incoming_block);
  };
  const ParameterList parameters = parameters_of(snapshot);
  if (!tunings_.empty() || parameters != parts_.live_parameters.changed()) {
    return tune([this, call, parameters, fill_buffer] {
      const std::uint64_t number = parts_.recorder.add_state(call->request.restore().snapshot());
      begin_tuning(call, parameters, {number, call->plant_id(), fill_buffer}, [call] { call->reply.mutable_done(); });
    });
  }
  rt::Request request;
  request.kind = rt::RequestKind::kRestore;
  request.number = parts_.recorder.add_state(snapshot);
  request.id = call->plant_id();
  const auto answer = [this, call](const rt::Reply* reply) {
    if (reply != nullptr && reply->status == rt::ReplyStatus::kRefused) return refuse_state(call);
    if (!judge(call, reply)) return;
    call->reply.mutable_done();
    finish(call);
  };
  parts_.plant.ask(request, call->now_ns, answer, PlantChannel::kPatience_s, fill_buffer);
}

void StateVerbs::refuse_state(const CallPtr& call) {
  refuse(call, v1::ERROR_CODE_SCHEMA, "the snapshot is damaged: its numbers are no state of this plant", "snapshot");
}

}  // namespace kinloop::io
