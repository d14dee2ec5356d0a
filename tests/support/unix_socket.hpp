// Owns the plain connection to a unix socket, for tests of what the other side does.
#pragma once

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <filesystem>
#include <string>

namespace kinloop::test {

/// A descriptor that the caller closes; -1: nobody listens there.
inline int connect_unix(const std::filesystem::path& path) {
  sockaddr_un address{};
  const std::string text = path.string();
  address.sun_family = AF_UNIX;
  if (text.size() >= sizeof(address.sun_path)) return -1;
  text.copy(address.sun_path, text.size());
  const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return -1;
  if (::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0) return socket;
  ::close(socket);
  return -1;
}

}  // namespace kinloop::test
