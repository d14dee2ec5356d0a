// Browsers tell truly which page asks, and by which name it found the server; scripts tell nothing.
#include "services/gateway/access.hpp"

#include <charconv>
#include <system_error>

namespace kinloop::gateway {

bool Access::permits_origin(const WebRequest& request) const {
  if (is_loopback_ && !names_loopback(request.host)) return false;  // a foreign name that was made to point here
  if (request.origin.empty()) return true;
  return host_of_origin(request.origin) == request.host;
}

bool Access::permits_origin_beside(const WebRequest& request, std::uint16_t page_port) const {
  if (is_loopback_ && !names_loopback(request.host)) return false;
  if (request.origin.empty()) return true;
  const auto [host, port] = split_host(host_of_origin(request.origin));
  constexpr unsigned kUsualPort = 80;  // browsers leave it out
  unsigned number = kUsualPort;
  if (!port.empty()) {
    const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), number);
    if (error != std::errc{} || end != port.data() + port.size()) return false;
  }
  return host == split_host(request.host).host && number == page_port && page_port != 0;
}

std::optional<security::Caller> Access::caller_of(const WebRequest& request) const {
  if (tokens_.are_asked_for()) return tokens_.find(request.token);
  if (is_loopback_) return security::Caller{security::Role::kAdmin, ""};
  return std::nullopt;
}

std::string bearer_token(std::string_view header) {
  constexpr std::string_view kBearer = "Bearer ";
  return std::string(header.starts_with(kBearer) ? header.substr(kBearer.size()) : std::string_view());
}

}  // namespace kinloop::gateway
