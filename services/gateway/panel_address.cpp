// Splits host and port.
#include "services/gateway/panel_address.hpp"

#include <boost/asio/ip/address.hpp>
#include <charconv>
#include <optional>

namespace kinloop::gateway {
namespace {

using Address = boost::asio::ip::address;

std::string_view without_brackets(std::string_view host) {
  if (host.starts_with('[') && host.ends_with(']')) return host.substr(1, host.size() - 2);
  return host;
}

/// The interface of an IPv6 address, behind '%': a number, or a name that begins with a letter.
bool is_interface(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789";
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  constexpr std::string_view kInNames = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
  const auto is_of = [&](std::string_view characters) {
    return text.find_first_not_of(characters) == std::string_view::npos;
  };
  if (text.empty()) return false;
  if (is_of(kDigits)) return text.size() <= 9;
  return kLetters.find(text.front()) != std::string_view::npos && text.size() <= 15 && is_of(kInNames);
}

/// Stricter than boost, which reads up to a zero byte and takes any text as an interface.
std::optional<Address> read_address(std::string_view text) {
  const std::size_t percent = text.find('%');
  if (text.substr(0, percent).find_first_not_of("0123456789abcdefABCDEF:.") != std::string_view::npos)
    return std::nullopt;
  if (percent != std::string_view::npos && !is_interface(text.substr(percent + 1))) return std::nullopt;
  boost::system::error_code wrong;
  const Address address = boost::asio::ip::make_address(std::string(text), wrong);
  return wrong ? std::nullopt : std::optional(address);
}

}  // namespace

/// At the last colon, unless that belongs to an IPv6 address in brackets.
HostAndPort split_host(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || text.ends_with(']')) return {text, {}};
  return {text.substr(0, colon), text.substr(colon + 1)};
}

Result<PanelAddress> parse_panel_address(std::string_view text) {
  PanelAddress address;
  if (text.empty()) return address;
  const std::string shown(text);
  const auto [host, port] = split_host(text);
  unsigned number = 0;
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), number);
  if (port.empty() || error != std::errc{} || end != port.data() + port.size() || number > 65535) {
    return Error{shown, "wants an address and a port: 127.0.0.1:8080, [::1]:8080"};
  }
  const std::optional<Address> parsed = read_address(without_brackets(host));
  if (!parsed) return Error{shown, "is no address: give numbers, 127.0.0.1:8080 or [::1]:8080, not a name"};
  address.host = parsed->to_string();
  address.port = static_cast<std::uint16_t>(number);
  address.spare_ports = 0;
  address.is_loopback = parsed->is_loopback();
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
  const std::string_view name = without_brackets(split_host(host).host);
  if (name == "localhost") return true;
  const std::optional<Address> address = read_address(name);
  return address && address->is_loopback();
}

std::string_view host_of_origin(std::string_view origin) {
  for (const std::string_view scheme : {std::string_view("http://"), std::string_view("https://")}) {
    if (origin.starts_with(scheme)) return origin.substr(scheme.size());
  }
  return {};
}

}  // namespace kinloop::gateway
