// Owns UdpAddress: an address and port as the kernel wants them. Numbers only: asking for names could take for ever.
#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <optional>
#include <string>

namespace kinloop::net {

struct UdpAddress {
  sockaddr_storage storage{};
  socklen_t size = 0;

  const sockaddr* data() const noexcept { return reinterpret_cast<const sockaddr*>(&storage); }
  sockaddr* data() noexcept { return reinterpret_cast<sockaddr*>(&storage); }
  int family() const noexcept { return storage.ss_family; }
  std::uint16_t port() const noexcept;
  /// Reaches this host alone.
  bool is_loopback() const noexcept;
  /// "127.0.0.1:9100", "[::1]:9100".
  std::string text() const;
};

/// IPv4 or IPv6, "127.0.0.1", "::1"; nothing where it is neither.
std::optional<UdpAddress> make_udp_address(const std::string& host, int port) noexcept;

/// The same host and port.
bool is_same(const UdpAddress& a, const UdpAddress& b) noexcept;
/// The same host, whatever the ports.
bool is_same_host(const UdpAddress& a, const UdpAddress& b) noexcept;

}  // namespace kinloop::net
