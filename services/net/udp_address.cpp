// Implements both families; what is of neither is no address.
#include "services/net/udp_address.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <array>
#include <cstring>

namespace kinloop::net {
namespace {

constexpr std::uint32_t kLoopbackNet = 127;  // 127.0.0.0/8

// Copied, not cast: the storage may have been filled by the kernel, and this is no path that counts cycles.
template <class Address>
Address read_as(const UdpAddress& address) noexcept {
  Address result{};
  std::memcpy(&result, &address.storage, sizeof result);
  return result;
}

template <class Address>
UdpAddress stored(const Address& address) noexcept {
  UdpAddress result;
  std::memcpy(&result.storage, &address, sizeof address);
  result.size = sizeof address;
  return result;
}

}  // namespace

std::uint16_t UdpAddress::port() const noexcept {
  return ntohs(family() == AF_INET6 ? read_as<sockaddr_in6>(*this).sin6_port : read_as<sockaddr_in>(*this).sin_port);
}

bool UdpAddress::is_loopback() const noexcept {
  if (family() == AF_INET) return ntohl(read_as<sockaddr_in>(*this).sin_addr.s_addr) >> 24U == kLoopbackNet;
  const in6_addr host = read_as<sockaddr_in6>(*this).sin6_addr;
  return family() == AF_INET6 && std::memcmp(&host, &in6addr_loopback, sizeof host) == 0;
}

std::string UdpAddress::text() const {
  std::array<char, INET6_ADDRSTRLEN> host{};
  if (family() == AF_INET6) {
    const in6_addr number = read_as<sockaddr_in6>(*this).sin6_addr;
    ::inet_ntop(AF_INET6, &number, host.data(), host.size());
    return "[" + std::string(host.data()) + "]:" + std::to_string(port());
  }
  const in_addr number = read_as<sockaddr_in>(*this).sin_addr;
  ::inet_ntop(AF_INET, &number, host.data(), host.size());
  return std::string(host.data()) + ":" + std::to_string(port());
}

std::optional<UdpAddress> make_udp_address(const std::string& host, int port) noexcept {
  sockaddr_in four{};
  if (::inet_pton(AF_INET, host.c_str(), &four.sin_addr) == 1) {
    four.sin_family = AF_INET;
    four.sin_port = htons(static_cast<std::uint16_t>(port));
    return stored(four);
  }
  sockaddr_in6 six{};
  if (::inet_pton(AF_INET6, host.c_str(), &six.sin6_addr) == 1) {
    six.sin6_family = AF_INET6;
    six.sin6_port = htons(static_cast<std::uint16_t>(port));
    return stored(six);
  }
  return std::nullopt;
}

bool is_same(const UdpAddress& a, const UdpAddress& b) noexcept { return a.port() == b.port() && is_same_host(a, b); }

bool is_same_host(const UdpAddress& a, const UdpAddress& b) noexcept {
  if (a.family() != b.family()) return false;
  if (a.family() == AF_INET) {
    return read_as<sockaddr_in>(a).sin_addr.s_addr == read_as<sockaddr_in>(b).sin_addr.s_addr;
  }
  const sockaddr_in6 x = read_as<sockaddr_in6>(a);
  const sockaddr_in6 y = read_as<sockaddr_in6>(b);
  return std::memcmp(&x.sin6_addr, &y.sin6_addr, sizeof x.sin6_addr) == 0 && x.sin6_scope_id == y.sin6_scope_id;
}

}  // namespace kinloop::net
