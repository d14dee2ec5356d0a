// Owns UdpClient: a controller at the other end of the UDP adapter, for tests.
#pragma once

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include "services/io/udp_frame.hpp"
#include "services/net/udp_address.hpp"

namespace kinloop::io {

/// A command as bytes, put together without the code that is tested.
inline std::vector<std::byte> command_bytes(std::uint64_t layout, std::uint64_t sequence,
                                            const std::vector<double>& values, std::uint64_t rearm = 0) {
  std::vector<std::byte> bytes;
  const auto add = [&](auto value) {
    const std::size_t at = bytes.size();
    bytes.resize(at + sizeof value);
    std::memcpy(bytes.data() + at, &value, sizeof value);
  };
  add(std::uint32_t{0x314d434b});
  add(std::uint16_t{1});
  add(static_cast<std::uint16_t>(values.size()));
  add(layout);
  add(sequence);
  add(rearm);
  for (const double value : values) add(value);
  return bytes;
}

class UdpClient {
 public:
  UdpClient() : socket_(::socket(AF_INET, SOCK_DGRAM, 0)) {
    const net::UdpAddress any = *net::make_udp_address("127.0.0.1", 0);
    EXPECT_EQ(::bind(socket_, any.data(), any.size), 0);
    address_.size = sizeof address_.storage;
    EXPECT_EQ(::getsockname(socket_, address_.data(), &address_.size), 0);
    const timeval patience{20, 0};
    EXPECT_EQ(::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience), 0);
  }
  ~UdpClient() { ::close(socket_); }
  UdpClient(const UdpClient&) = delete;
  UdpClient& operator=(const UdpClient&) = delete;

  const net::UdpAddress& address() const noexcept { return address_; }

  void send(std::span<const std::byte> bytes, const net::UdpAddress& to) const {
    EXPECT_EQ(::sendto(socket_, bytes.data(), bytes.size(), 0, to.data(), to.size), static_cast<ssize_t>(bytes.size()));
  }
  /// Waits for a datagram that is on its way; how many bytes it has.
  std::size_t receive(std::span<std::byte> bytes) const {
    const ssize_t size = ::recv(socket_, bytes.data(), bytes.size(), 0);
    EXPECT_GE(size, 0);
    return size < 0 ? 0 : static_cast<std::size_t>(size);
  }
  /// Loopback delivers at once: what is not there was not sent.
  bool has_mail() const {
    std::byte first{};
    return ::recv(socket_, &first, 1, MSG_PEEK | MSG_DONTWAIT) >= 0;
  }

 private:
  int socket_;
  net::UdpAddress address_;
};

/// A number of a frame, at its place.
template <class T>
T number_in(std::span<const std::byte> bytes, std::size_t place) {
  T value{};
  std::memcpy(&value, bytes.data() + place, sizeof value);
  return value;
}

}  // namespace kinloop::io
