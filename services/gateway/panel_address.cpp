// Splits host and port.
#include "services/gateway/panel_address.hpp"

#include <boost/asio/ip/address.hpp>
#include <charconv>

namespace kinloop::gateway {
namespace {

struct HostAndPort {
  std::string_view host, port;
};

/// At the last colon, unless that belongs to an IPv6 address in brackets.
HostAndPort split(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || text.ends_with(']')) return {text, {}};
  return {text.substr(0, colon), text.substr(colon + 1)};
}

std::string_view without_brackets(std::string_view host) {
  if (host.starts_with('[') && host.ends_with(']')) return host.substr(1, host.size() - 2);
  return host;
}

}  // namespace

Result<PanelAddress> parse_panel_address(std::string_view text) {
  PanelAddress address;
  if (text.empty()) return address;
  const std::string shown(text);
  const auto [host, port] = split(text);
  unsigned number = 0;
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), number);
  if (port.empty() || error != std::errc{} || end != port.data() + port.size() || number > 65535) {
    return Error{shown, "wants an address and a port: 127.0.0.1:8080, [::1]:8080"};
  }
  boost::system::error_code wrong;
  const auto parsed = boost::asio::ip::make_address(std::string(without_brackets(host)), wrong);
  if (wrong) return Error{shown, "is no address: give numbers, 127.0.0.1:8080 or [::1]:8080, not a name"};
  address.host = parsed.to_string();
  address.port = static_cast<std::uint16_t>(number);
  address.spare_ports = 0;
  address.is_loopback = parsed.is_loopback();
  return address;
}

std::string text_of(const PanelAddress& address) {
  if (address.spare_ports > 0) return {};
  const bool is_v6 = address.host.find(':') != std::string::npos;
  return (is_v6 ? "[" + address.host + "]" : address.host) + ":" + std::to_string(address.port);
}

std::string url_of(const PanelAddress& address, std::uint16_t port) {
  const bool is_v6 = address.host.find(':') != std::string::npos;
  return "http://" + (is_v6 ? "[" + address.host + "]" : address.host) + ":" + std::to_string(port);
}

bool names_loopback(std::string_view host) {
  const std::string_view name = without_brackets(split(host).host);
  if (name == "localhost") return true;
  boost::system::error_code wrong;
  const auto address = boost::asio::ip::make_address(std::string(name), wrong);
  return !wrong && address.is_loopback();
}

std::string_view host_of_origin(std::string_view origin) {
  for (const std::string_view scheme : {std::string_view("http://"), std::string_view("https://")}) {
    if (origin.starts_with(scheme)) return origin.substr(scheme.size());
  }
  return {};
}

}  // namespace kinloop::gateway
