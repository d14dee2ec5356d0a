// Checks that are the same for all verbs.
#include "services/io/request_handler.hpp"

#include <kinloop/client/verb_properties.hpp>

#include "core/base/require.hpp"
#include "services/io/description.hpp"
#include "services/security/roles.hpp"

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

void RequestHandler::take(const Envelope& from, wire::Bytes bytes, const security::Caller& caller,
                          std::int64_t now_ns) {
  const auto call = std::make_shared<Call>();
  call->from = from;
  call->caller = caller;
  call->now_ns = now_ns;
  v1::ControlRequest& request = call->request;
  if (!request.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    request.Clear();
    return replies_.turn_away(*call, v1::ERROR_CODE_MALFORMED, "the message is no ControlRequest");
  }
  if (request.version() != kWireVersion) {
    return replies_.turn_away(*call, v1::ERROR_CODE_VERSION,
                              "this plant speaks version " + std::to_string(kWireVersion) +
                                  " of the schema, the request version " + std::to_string(request.version()),
                              "version");
  }
  if (!security::permits(caller.role, request.verb_case())) {
    return replies_.turn_away(*call, v1::ERROR_CODE_FORBIDDEN,
                              "not for the role " + std::string(security::name_of(caller.role)));
  }
  if (parts_.plant.is_full() && client::properties_of(request.verb_case()).can_wait()) {
    return replies_.turn_away(*call, v1::ERROR_CODE_BUSY, "too many requests wait for the plant already: try later");
  }
  if (!replies_.begin(*call)) return;
  const VerbTable::Answer* answer = verbs_.find(request.verb_case());
  if (answer == nullptr) return replies_.refuse(*call, v1::ERROR_CODE_INVALID, "the request names no verb", "verb");
  (*answer)(call);
}

}  // namespace kinloop::io
