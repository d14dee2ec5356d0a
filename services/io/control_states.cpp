// Verbs about states and parameters of the plant.
#include "core/base/nearest_name.hpp"
#include "services/io/control_desk.hpp"
#include "services/io/snapshot_codec.hpp"

namespace kinloop::io {
namespace {

void list(const ParameterList& parameters, v1::ParametersReply& reply) {
  for (const ParameterSetting& setting : parameters) {
    v1::ParameterValue& value = *reply.add_values();
    value.set_name(setting.name);
    value.set_value(setting.value);
  }
}

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
  if (call->request.get_parameters().names().empty()) list(parts_.tuning.all(), reply);
  for (const std::string& name : call->request.get_parameters().names()) {
    const ParameterSetting* setting = parts_.tuning.find(name);
    if (setting == nullptr) {
      return refuse(call, v1::ERROR_CODE_UNKNOWN_NAME, unknown_parameter(name, parts_.tuning), "names");
    }
    list({*setting}, reply);
  }
  finish(call);
}

void ControlDesk::set_parameters(const CallPtr& call) {
  ParameterList wanted;
  for (const v1::ParameterValue& value : call->request.set_parameters().values()) {
    if (parts_.tuning.find(value.name()) == nullptr) {
      return refuse(call, v1::ERROR_CODE_UNKNOWN_NAME, unknown_parameter(value.name(), parts_.tuning), "values");
    }
    if (value.value().find_first_of("\n\t") != std::string::npos) {
      return refuse(call, v1::ERROR_CODE_INVALID, value.name() + ": a number or an expression, on one line", "values");
    }
    wanted.push_back({value.name(), value.value()});
  }
  if (wanted.empty()) return refuse(call, v1::ERROR_CODE_INVALID, "names no parameter", "values");
  tune(call, parts_.tuning.with(wanted), [this, call, wanted](std::uint64_t step) {
    call->reply.set_step(step);
    list(wanted, *call->reply.mutable_parameters());
    finish(call);
  });
}

/// Makes the plant anew with these, then goes on; answers the call where that fails.
void ControlDesk::tune(const CallPtr& call, const ParameterList& changed,
                       const std::function<void(std::uint64_t step)>& then) {
  const std::uint64_t number = ++last_set_;
  parts_.recorder.add_parameters(number, changed);
  const bool fits =
      parts_.plant.build(to_lines(changed), number, call->now_ns,
                         [this, call, changed, number, then](const rt::Reply* reply, const std::string& refusal) {
                           if (reply == nullptr) {
                             if (refusal.empty())
                               return refuse(call, v1::ERROR_CODE_PLANT, "the plant was not made anew in time");
                             return refuse(call, v1::ERROR_CODE_INVALID, refusal, "values");
                           }
                           parts_.tuning.set(changed, number);
                           list_in_description();
                           then(reply->step);
                         });
  if (!fits) refuse(call, v1::ERROR_CODE_INVALID, "these are too many parameters at once", "values");
}

void ControlDesk::list_in_description() {
  parts_.description.clear_parameters();
  for (const ParameterSetting& setting : parts_.tuning.all()) {
    v1::Parameter& parameter = *parts_.description.add_parameters();
    parameter.set_name(setting.name);
    parameter.set_value(setting.value);
  }
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
  if (equal(parameters, parts_.tuning.changed())) return put_back(call);
  tune(call, parameters, [this, call](std::uint64_t) { put_back(call); });
}

void ControlDesk::put_back(const CallPtr& call) {
  const v1::Snapshot& snapshot = call->request.restore().snapshot();
  rt::Request request;
  request.kind = rt::RequestKind::kRestore;
  request.number = parts_.recorder.add_state(snapshot);
  if (call->request.request_id() != 0 && call->request.client() != 0) {
    request.id = rt::Request::kNumbered | key_of(call->request.client(), call->request.request_id());
  }
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
