// Checks, then the one table of verbs.
#include "services/io/request_handler.hpp"

#include "services/io/description.hpp"
#include "services/security/roles.hpp"
#include "services/wire/hash.hpp"
#include "services/wire/wire_error.hpp"

namespace kinloop::io {
namespace {

/// Whether others must wait for it where the plant is asked too much; to stop it is never too much.
bool can_wait(v1::ControlRequest::VerbCase verb) {
  using Request = v1::ControlRequest;
  switch (verb) {
    case Request::kDescribe:
    case Request::kStatus:
    case Request::kTiming:
    case Request::kAcquire:
    case Request::kRelease:
    case Request::kGetParameters:
    case Request::kCancel:
    case Request::kSubscribe:
    case Request::kEmergencyStop:
    case Request::kShutdown:
      return false;
    default:
      return true;
  }
}

}  // namespace

std::uint64_t RequestHandler::key_of(std::uint64_t client, std::uint64_t request_id) {
  return hash_of(std::to_string(client) + ":" + std::to_string(request_id)) >> 1U;
}

std::uint64_t RequestHandler::id_of(const Call& call) {
  const v1::ControlRequest& request = call.request;
  const bool is_numbered = request.request_id() != 0 && request.client() != 0;
  return is_numbered ? rt::Request::kNumbered | key_of(request.client(), request.request_id()) : 0;
}

void RequestHandler::take(const Envelope& from, Bytes bytes, const security::Caller& caller, std::int64_t now_ns) {
  const auto call = std::make_shared<Call>();
  call->from = from;
  call->caller = caller;
  call->now_ns = now_ns;
  v1::ControlRequest& request = call->request;
  if (!request.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    request.Clear();
    return turn_away(call, v1::ERROR_CODE_MALFORMED, "the message is no ControlRequest");
  }
  if (request.version() != kWireVersion) {
    return turn_away(call, v1::ERROR_CODE_VERSION,
                     "this plant speaks version " + std::to_string(kWireVersion) +
                         " of the schema, the request version " + std::to_string(request.version()),
                     "version");
  }
  if (!security::permits(caller.role, request.verb_case())) {
    return turn_away(call, v1::ERROR_CODE_FORBIDDEN, "not for the role " + std::string(security::name_of(caller.role)));
  }
  if (parts_.plant.is_full() && can_wait(request.verb_case())) {
    return turn_away(call, v1::ERROR_CODE_BUSY, "too many requests wait for the plant already: try later");
  }
  switch (answers_.look_up(request, from)) {
    case ReplyCache::Found::kNew:
      return dispatch(call);
    case ReplyCache::Found::kUnderWay:
      return;
    case ReplyCache::Found::kAnswered:
      return parts_.send(from, answers_.answer_to(request));
  }
}

void RequestHandler::finish(const CallPtr& call) {
  call->reply.set_request_id(call->request.request_id());
  parts_.send(call->from, call->reply);
  for (const Envelope& other : answers_.keep(call->request, call->reply)) parts_.send(other, call->reply);
}

void RequestHandler::refuse(const CallPtr& call, v1::ErrorCode code, std::string message, std::string field) {
  ++refused_;
  *call->reply.mutable_error() = wire_error(code, std::move(message), std::move(field));
  finish(call);
}

/// Without a trace in the reply cache: who may not ask must not answer for one who may and has the same number.
void RequestHandler::turn_away(const CallPtr& call, v1::ErrorCode code, std::string message, std::string field) {
  ++refused_;
  call->reply.set_request_id(call->request.request_id());
  *call->reply.mutable_error() = wire_error(code, std::move(message), std::move(field));
  parts_.send(call->from, call->reply);
}

/// What needs nothing from the plant.
void RequestHandler::answer_at_once(const CallPtr& call) {
  switch (call->request.verb_case()) {
    case v1::ControlRequest::kStatus:
      *call->reply.mutable_status() = parts_.status();
      break;
    case v1::ControlRequest::kTiming:
      *call->reply.mutable_timing() = parts_.timing();
      break;
    default:
      *call->reply.mutable_description() = parts_.description;
  }
  finish(call);
}

void RequestHandler::dispatch(const CallPtr& call) {
  using Request = v1::ControlRequest;
  rt::Request request;
  switch (call->request.verb_case()) {
    case Request::kDescribe:
    case Request::kStatus:
    case Request::kTiming:
      return answer_at_once(call);
    case Request::kAcquire:
      return acquire(call);
    case Request::kRelease:
      return release(call);
    case Request::kStart:
    case Request::kResume:
      request.kind = rt::RequestKind::kResume;
      return ask_plant(call, request);
    case Request::kPause:
      request.kind = rt::RequestKind::kPause;
      return ask_plant(call, request);
    case Request::kStep:
      return step(call);
    case Request::kReset:
      return reset(call);
    case Request::kSetParameters:
      return set_parameters(call);
    case Request::kGetParameters:
      return get_parameters(call);
    case Request::kSnapshot:
      return snapshot(call);
    case Request::kRestore:
      return restore(call);
    case Request::kInjectFault:
      return inject_fault(call);
    case Request::kClearFaults:
      return clear_faults(call);
    case Request::kOverride:
      return override_signal(call);
    case Request::kApplyForce:
      return apply_force(call);
    case Request::kCapture:
      return capture(call);
    case Request::kRearm:
      return rearm(call);
    case Request::kEmergencyStop:
      request.kind = rt::RequestKind::kMakeSafe;
      return ask_plant(call, request);
    case Request::kLinearize:
      return linearize(call);
    case Request::kRollout:
      return rollout(call);
    case Request::kCancel:
      return cancel(call);
    case Request::kSubscribe:
      return subscribe(call);
    case Request::kRecord:
      return record(call);
    case Request::kNote:
      return note(call);
    case Request::kShutdown:
      request.kind = rt::RequestKind::kStop;
      return ask_plant(call, request);
    case Request::VERB_NOT_SET:
      return refuse(call, v1::ERROR_CODE_INVALID, "the request names no verb", "verb");
  }
}

}  // namespace kinloop::io
