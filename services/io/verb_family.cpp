// Requests to the plant, and what its replies mean for the call.
#include "services/io/verb_family.hpp"

namespace kinloop::io {

bool VerbFamily::judge(const CallPtr& call, const rt::Reply* reply) {
  if (reply == nullptr) {
    refuse(call, v1::ERROR_CODE_PLANT, "the plant did not answer in time");
    return false;
  }
  call->reply.set_step(reply->step);
  if (reply->status == rt::ReplyStatus::kDone) return true;
  switch (reply->status) {
    case rt::ReplyStatus::kNotNow:
      refuse(call, v1::ERROR_CODE_NOT_NOW, "only while the plant is paused, and one at a time: pause first");
      break;
    case rt::ReplyStatus::kFull:
      refuse(call, v1::ERROR_CODE_BUSY, "other changes wait for the next step: let it step, then try again");
      break;
    default:
      refuse(call, v1::ERROR_CODE_BUSY, "the plant has no room for more of these: clear some first");
  }
  return false;
}

void VerbFamily::ask_plant(const CallPtr& call, rt::Request request, double patience_s) {
  request.id = call->plant_id();
  const auto answer = [this, call](const rt::Reply* reply) {
    if (!judge(call, reply)) return;
    if (call->reply.answer_case() == v1::ControlReply::ANSWER_NOT_SET) call->reply.mutable_done();
    finish(call);
  };
  parts_.plant.ask(request, call->now_ns, answer, patience_s);
}

void VerbFamily::ask_plant(const CallPtr& call, rt::RequestKind kind) {
  rt::Request request;
  request.kind = kind;
  ask_plant(call, request);
}

void VerbFamily::with_state(const CallPtr& call, WithState use) {
  rt::Request request;
  request.kind = rt::RequestKind::kSnapshot;
  parts_.plant.ask(request, call->now_ns, [this, call, use = std::move(use)](const rt::Reply* reply) {
    if (!judge(call, reply)) return;
    use(parts_.memory.outgoing, parts_.memory.outgoing_block, reply->step);
  });
}

}  // namespace kinloop::io
