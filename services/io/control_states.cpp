// Verbs about states and parameters of the plant.
#include "core/base/nearest_name.hpp"
#include "services/io/control_desk.hpp"
#include "services/io/snapshot_codec.hpp"

namespace kinloop::io {
namespace {

bool equal(const ParameterList& a, const ParameterList& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const ParameterSetting& x, const ParameterSetting& y) {
    return x.name == y.name && x.value == y.value;
  });
}

std::string unknown_parameter(std::string_view name, const Tuning& tuning) {
  std::vector<std::string_view> names;
  for (const ParameterSetting& setting : tuning.all()) names.push_back(setting.name);
  return "the model has no parameter " + in_quotes(name) + did_you_mean(name, names);
}

}  // namespace

void ControlDesk::get_parameters(const CallPtr& call) {
  v1::ParametersReply& reply = *call->reply.mutable_parameters();
  if (call->request.get_parameters().names().empty()) to_wire(parts_.tuning.all(), *reply.mutable_values());
  for (const std::string& name : call->request.get_parameters().names()) {
    const ParameterSetting* setting = parts_.tuning.find(name);
    if (setting == nullptr) {
      return refuse(call, v1::ERROR_CODE_UNKNOWN_NAME, unknown_parameter(name, parts_.tuning), "names");
    }
    to_wire({*setting}, *reply.mutable_values());
  }
  finish(call);
}

void ControlDesk::set_parameters(const CallPtr& call) {
  ParameterList wanted;
  for (const v1::ParameterValue& value : call->request.set_parameters().values()) {
    wanted.push_back({value.name(), value.value()});
  }
  if (!are_sound(call, wanted, "values")) return;
  if (wanted.empty()) return refuse(call, v1::ERROR_CODE_INVALID, "names no parameter", "values");
  const auto changed = [this, wanted] { return parts_.tuning.with(wanted); };
  tune(call, changed, [this, call, wanted](std::uint64_t step) {
    call->reply.set_step(step);
    to_wire(wanted, *call->reply.mutable_parameters()->mutable_values());
    finish(call);
  });
}

/// Whether all are parameters of the model, with values that fit on a line; else the call is answered.
bool ControlDesk::are_sound(const CallPtr& call, const ParameterList& parameters, const char* field) {
  for (const ParameterSetting& setting : parameters) {
    if (parts_.tuning.find(setting.name) == nullptr) {
      refuse(call, v1::ERROR_CODE_UNKNOWN_NAME, unknown_parameter(setting.name, parts_.tuning), field);
      return false;
    }
    if (setting.value.find_first_of(std::string_view("\n\t\0", 3)) != std::string::npos) {
      refuse(call, v1::ERROR_CODE_INVALID, setting.name + ": a number or an expression, on one line", field);
      return false;
    }
  }
  return true;
}

/// Makes the plant anew with what `changed` gives when its turn comes, then goes on; answers the call where that fails.
void ControlDesk::tune(const CallPtr& call, std::function<ParameterList()> changed,
                       std::function<void(std::uint64_t step)> then) {
  tunings_.push_back(
      [this, call, changed = std::move(changed), then = std::move(then)] { begin_tuning(call, changed(), then); });
  if (tunings_.size() == 1) tunings_.front()();
}

/// One is done, or refused.
void ControlDesk::next_tuning() {
  tunings_.pop_front();
  if (!tunings_.empty()) tunings_.front()();
}

void ControlDesk::begin_tuning(const CallPtr& call, const ParameterList& changed,
                               const std::function<void(std::uint64_t step)>& then) {
  const std::uint64_t number = std::max(last_set_, parts_.tuning.number()) + 1;
  last_set_ = number;
  parts_.recorder.add_parameters(number, changed);
  const auto answer = [this, call, changed, number, then](const rt::Reply* reply, const std::string& refusal) {
    if (reply != nullptr) {
      parts_.tuning.set(changed, number);
      list_in_description();
      then(reply->step);
    } else if (refusal.empty()) {
      refuse(call, v1::ERROR_CODE_PLANT, "the plant was not made anew in time");
    } else {
      refuse(call, v1::ERROR_CODE_INVALID, refusal, "values");
    }
    next_tuning();
  };
  if (parts_.plant.build(to_lines(changed), number, call->now_ns, answer)) return;
  refuse(call, v1::ERROR_CODE_INVALID, "these are too many parameters at once", "values");
  next_tuning();
}

void ControlDesk::list_in_description() {
  parts_.description.clear_parameters();
  to_wire(parts_.tuning.all(), *parts_.description.mutable_parameters());
}

/// `use` is called with the plant's present state; the call is answered where there is none.
void ControlDesk::with_state(const CallPtr& call, WithState use) {
  rt::Request request;
  request.kind = rt::RequestKind::kSnapshot;
  parts_.plant.ask(request, call->now_ns, [this, call, use = std::move(use)](const rt::Reply* reply) {
    if (judge(call, reply)) use(parts_.memory.outgoing, rt::outgoing_block(parts_.memory), reply->step);
  });
}

void ControlDesk::snapshot(const CallPtr& call) {
  with_state(call, [this, call](const rt::StateBox& box, std::span<const double> block, std::uint64_t step) {
    *call->reply.mutable_snapshot() = snapshot_of(parts_.description, box, block, step, parts_.tuning.changed());
    finish(call);
  });
}

void ControlDesk::restore(const CallPtr& call) {
  const v1::Snapshot& snapshot = call->request.restore().snapshot();
  if (const auto objection = objection_to(snapshot, parts_.description)) {
    return refuse(call, v1::ERROR_CODE_SCHEMA, *objection, "snapshot");
  }
  const ParameterList parameters = parameters_of(snapshot);
  if (!are_sound(call, parameters, "snapshot")) return;
  if (equal(parameters, parts_.tuning.changed())) return put_back(call);
  const auto changed = [parameters] { return parameters; };
  tune(call, changed, [this, call](std::uint64_t) { put_back(call); });
}

void ControlDesk::put_back(const CallPtr& call) {
  const v1::Snapshot& snapshot = call->request.restore().snapshot();
  rt::Request request;
  request.kind = rt::RequestKind::kRestore;
  request.number = parts_.recorder.add_state(snapshot);
  request.id = id_of(*call);
  const auto answer = [this, call](const rt::Reply* reply) {
    if (reply != nullptr && reply->status == rt::ReplyStatus::kRefused) {
      return refuse(call, v1::ERROR_CODE_SCHEMA, "the snapshot is damaged: its numbers are no state of this plant",
                    "snapshot");
    }
    if (!judge(call, reply)) return;
    call->reply.mutable_done();
    finish(call);
  };
  const auto fill_box = [this, call] {
    put_into_box(call->request.restore().snapshot(), parts_.memory.incoming, rt::incoming_block(parts_.memory));
  };
  parts_.plant.ask(request, call->now_ns, answer, PlantLine::kPatience_s, fill_box);
}

}  // namespace kinloop::io
