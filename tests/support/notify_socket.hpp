// Owns NotifySocket: systemd's side of the notification socket.
#pragma once

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <string>

namespace kinloop {

class NotifySocket {
 public:
  explicit NotifySocket(const std::filesystem::path& path)
      : socket_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    EXPECT_LT(path.string().size(), sizeof address.sun_path);
    path.string().copy(address.sun_path, sizeof address.sun_path - 1);
    EXPECT_EQ(::bind(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  }
  NotifySocket(const NotifySocket&) = delete;
  NotifySocket& operator=(const NotifySocket&) = delete;
  ~NotifySocket() { ::close(socket_); }

  /// The next message; empty: there is none.
  std::string next() const {
    std::array<char, 512> bytes{};
    const ssize_t count = ::recv(socket_, bytes.data(), bytes.size(), 0);
    return count > 0 ? std::string(bytes.data(), static_cast<std::size_t>(count)) : "";
  }
  /// All that came since it was last asked for, a line each.
  std::string all() const {
    std::string text;
    for (std::string message = next(); !message.empty(); message = next()) text += message + "\n";
    return text;
  }

 private:
  int socket_;
};

}  // namespace kinloop
