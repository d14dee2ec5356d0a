// The table of verbs, and the metadata of a message.
#include "services/security/roles.hpp"

namespace kinloop::security {

std::optional<Role> least_role(Verb verb) noexcept {
  using Request = v1::ControlRequest;
  switch (verb) {  // without a default, so that the compiler complains of a new verb
    case Request::VERB_NOT_SET:
    case Request::kDescribe:
    case Request::kStatus:
    case Request::kTiming:
    case Request::kGetParameters:
    case Request::kSnapshot:
    case Request::kSubscribe:
    case Request::kCapture:
    case Request::kLinearize:
    case Request::kRollout:
    case Request::kCancel:
    case Request::kEmergencyStop:  // to make a machine safe is everybody's right
      return Role::kObserver;
    case Request::kAcquire:
    case Request::kRelease:
    case Request::kStart:
    case Request::kPause:
    case Request::kResume:
    case Request::kStep:
    case Request::kReset:
    case Request::kRearm:
    case Request::kRecord:
    case Request::kNote:
      return Role::kOperator;
    case Request::kRestore:  // a snapshot holds faults and parameters too
    case Request::kSetParameters:
    case Request::kInjectFault:
    case Request::kClearFaults:
    case Request::kOverride:
    case Request::kApplyForce:
    case Request::kShutdown:
      return Role::kAdmin;
  }
  return std::nullopt;
}

bool permits(Role role, Verb verb) noexcept {
  const std::optional<Role> least = least_role(verb);
  return least.has_value() && role >= *least;
}

bool permits_commands(Role role) noexcept { return role >= Role::kOperator; }

Caller caller_of(const zmq::message_t& message) {
  // The C function, since that of the binding throws where the property is absent, which is usual here.
  const char* id = zmq_msg_gets(message.handle(), "User-Id");
  if (id == nullptr) return {Role::kAdmin, ""};
  return parse_user_id(id).value_or(Caller{});
}

}  // namespace kinloop::security
