// What the schema says of verbs, and the metadata of a message.
#include "services/security/roles.hpp"

#include <kinloop/client/verb_properties.hpp>

namespace kinloop::security {

std::optional<Role> least_role(Verb verb) {
  if (verb == v1::ControlRequest::VERB_NOT_SET) return Role::kObserver;
  switch (client::properties_of(verb).role()) {
    case v1::ROLE_OBSERVER:
      return Role::kObserver;
    case v1::ROLE_OPERATOR:
      return Role::kOperator;
    case v1::ROLE_ADMIN:
      return Role::kAdmin;
    default:
      return std::nullopt;
  }
}

bool permits(Role role, Verb verb) {
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
