// For the owner of the folder alone.
#include "services/net/stop_socket.hpp"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <string>

namespace kinloop::net {
namespace {

namespace fs = std::filesystem;

constexpr int kBacklog = 16;

}  // namespace

int listen_unix(const fs::path& path) {
  sockaddr_un address{};
  const std::string text = path.string();
  address.sun_family = AF_UNIX;
  if (text.size() >= sizeof(address.sun_path)) {
    errno = ENAMETOOLONG;
    return -1;
  }
  text.copy(address.sun_path, text.size());
  const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (socket < 0) return -1;
  ::fchmod(socket, S_IRUSR | S_IWUSR);  // as bind() makes the file then
  if (::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0 &&
      ::chmod(path.c_str(), S_IRUSR | S_IWUSR) == 0 && ::listen(socket, kBacklog) == 0) {
    return socket;
  }
  const int error = errno;
  ::close(socket);
  errno = error;
  return -1;
}

}  // namespace kinloop::net
