// Checks that are the same for all verbs.
#include "services/io/request_handler.hpp"

#include <kinloop/client/verb_properties.hpp>

#include "core/base/require.hpp"
#include "services/io/description.hpp"
#include "services/security/roles.hpp"
#include "services/wire/hash.hpp"

namespace kinloop::io {

RequestHandler::RequestHandler(ControlParts parts) : parts_(std::move(parts)), replies_(parts_.send) {
  queries_.list(verbs_);
  actuators_.list(verbs_);
  run_.list(verbs_);
  signals_.list(verbs_);
  states_.list(verbs_);
  jobs_.list(verbs_);
  require(verbs_.is_complete(), "every verb of the schema is in the list of a family");
}

void RequestHandler::take(const Message& message) {
  const auto call = std::make_shared<Call>();
  call->from = message.from;
  call->caller = message.caller;
  call->now_ns = message.now_ns;
  v1::ControlRequest& request = call->request;
  if (!message.head) {
    return replies_.turn_away(*call, v1::ERROR_CODE_MALFORMED, "the message is no ControlRequest of one verb");
  }
  request.set_request_id(message.head->request_id);
  if (message.head->version != kWireVersion) {
    return replies_.turn_away(*call, v1::ERROR_CODE_VERSION,
                              "this plant speaks version " + std::to_string(kWireVersion) +
                                  " of the schema, the request version " + std::to_string(message.head->version),
                              "version");
  }
  if (!security::permits(message.caller.role, static_cast<security::Verb>(message.head->verb))) {
    return replies_.turn_away(*call, v1::ERROR_CODE_FORBIDDEN,
                              "not for the role " + std::string(security::name_of(message.caller.role)));
  }
  const wire::Bytes bytes = message.bytes;
  const bool is_read = request.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
  if (!is_read || static_cast<int>(request.verb_case()) != message.head->verb) {
    request.Clear();
    request.set_request_id(message.head->request_id);
    return replies_.turn_away(*call, v1::ERROR_CODE_MALFORMED, "the message is no ControlRequest");
  }
  if (parts_.plant.is_full() && client::properties_of(request.verb_case()).can_wait()) {
    return replies_.turn_away(*call, v1::ERROR_CODE_BUSY, "too many requests wait for the plant already: try later");
  }
  call->hash = wire::hash_of({bytes.data(), bytes.size()});
  if (!replies_.begin(*call)) return;
  const VerbTable::Answer* answer = verbs_.find(request.verb_case());
  if (ConnectionQuotas::has_quota(request.verb_case())) {
    call->share = quotas_.take(request.verb_case(), call->sender(), message.connection, message.caller.role);
    if (call->share == nullptr) {
      return replies_.refuse(*call, v1::ERROR_CODE_BUSY,
                             "too many of these are under way already, of this connection or of all: wait for them");
    }
  }
  if (answer == nullptr) return replies_.refuse(*call, v1::ERROR_CODE_INVALID, "the request names no verb", "verb");
  (*answer)(call);
}

void RequestHandler::end_departed() {
  for (const std::string& sender : quotas_.take_departed()) {
    parts_.capture.cancel_all_of(sender);
    parts_.jobs.cancel_all_of(sender);
  }
}

void RequestHandler::turn_away(const Envelope& from, const wire::RequestHead& head, std::string why) {
  Call call;
  call.from = from;
  call.request.set_request_id(head.request_id);
  replies_.turn_away(call, v1::ERROR_CODE_BUSY, std::move(why));
}

}  // namespace kinloop::io
