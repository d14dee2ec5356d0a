// Browsers tell truly which page asks, and by which name it found the server; scripts tell nothing.
#include "services/gateway/access.hpp"

namespace kinloop::gateway {

bool Access::permits_origin(const WebRequest& request) const {
  if (is_loopback_ && !names_loopback(request.host)) return false;  // a foreign name that was made to point here
  if (request.origin.empty()) return true;
  return host_of_origin(request.origin) == request.host;
}

std::optional<security::Caller> Access::caller_of(const WebRequest& request) const {
  if (tokens_.are_asked_for()) return tokens_.find(request.token);
  if (is_loopback_) return security::Caller{security::Role::kAdmin, ""};
  return std::nullopt;
}

}  // namespace kinloop::gateway
