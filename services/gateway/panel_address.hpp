// Owns where the page is served: "127.0.0.1:8080", "[::1]:8080", "0.0.0.0:8080".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/result.hpp"

namespace kinloop::gateway {

struct PanelAddress {
  std::string host = "127.0.0.1";  // a number, no name
  std::uint16_t port = 8080;       // 0: any that is free
  int spare_ports = 20;            // after this one, where it is in use; none where somebody chose the port
  bool is_loopback = true;
};

/// An empty text is the default.
Result<PanelAddress> parse_panel_address(std::string_view text);
/// As parse_panel_address() reads it; the default is empty.
std::string text_of(const PanelAddress& address);
/// "http://127.0.0.1:8080".
std::string url_of(const PanelAddress& address, std::uint16_t port);

/// Whether what a browser names as host or origin is this very host: "127.0.0.1:8080", "localhost", "[::1]:8080".
/// Other names for a loopback address are those of pages that want to look like ours.
bool names_loopback(std::string_view host);
/// "http://127.0.0.1:8080" → "127.0.0.1:8080"; empty where it is no such origin.
std::string_view host_of_origin(std::string_view origin);

struct HostAndPort {
  std::string_view host, port;
};
/// "[::1]:8080" → "[::1]", "8080"; without a port that is empty.
HostAndPort split_host(std::string_view text);

}  // namespace kinloop::gateway
