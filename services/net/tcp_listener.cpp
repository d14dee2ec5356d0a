// getaddrinfo for numbers only, so that no name server is asked.
#include "services/net/tcp_listener.hpp"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "services/base/error_text.hpp"

namespace kinloop::net {
namespace {

constexpr int kTcpBacklog = 64;

std::uint16_t port_of(int socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof(address);
  if (::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) != 0) return 0;
  return ntohs(address.ss_family == AF_INET6 ? reinterpret_cast<const sockaddr_in6*>(&address)->sin6_port
                                             : reinterpret_cast<const sockaddr_in*>(&address)->sin_port);
}

}  // namespace

Result<TcpListener> listen_tcp(const std::string& host, std::uint16_t port) {
  const std::string place = host + ":" + std::to_string(port);
  addrinfo wish{};
  wish.ai_socktype = SOCK_STREAM;
  wish.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE;
  addrinfo* found = nullptr;
  if (::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &wish, &found) != 0) {
    return Error{place, "is no address in numbers"};
  }
  const int socket = ::socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const int yes = 1;
  const bool listens = socket >= 0 && ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) == 0 &&
                       ::bind(socket, found->ai_addr, found->ai_addrlen) == 0 && ::listen(socket, kTcpBacklog) == 0;
  const std::string why = listens ? "" : host::error_text();
  ::freeaddrinfo(found);
  if (listens) return TcpListener{socket, port_of(socket)};
  if (socket >= 0) ::close(socket);
  return Error{place, "cannot be listened at: " + why};
}

}  // namespace kinloop::net
