// Options first, then open addresses, then those that ask for keys: an option acts on what is bound after it.
#include "services/net/bound_socket.hpp"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <string_view>

#include "services/net/listen_address.hpp"
#include "services/net/private_folder.hpp"
#include "services/net/rights.hpp"
#include "services/security/zap.hpp"

namespace kinloop::net {
namespace {

// ZMQ_ZAP_ENFORCE_DOMAIN: in the library since 4.3, but its header shows it to those alone who build with drafts.
constexpr int kZapEnforceDomain = 93;

/// Takes the rights of others from files that are made while it lives, in the whole process.
class OwnerOnlyFiles {
 public:
  OwnerOnlyFiles() noexcept : old_(::umask(kOthersAtAll)) {}
  ~OwnerOnlyFiles() { ::umask(old_); }
  OwnerOnlyFiles(const OwnerOnlyFiles&) = delete;
  OwnerOnlyFiles& operator=(const OwnerOnlyFiles&) = delete;

 private:
  mode_t old_;
};

bool somebody_listens(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path)) return false;
  std::copy(path.begin(), path.end(), address.sun_path);
  const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (socket < 0) return false;
  const bool is_refused =
      ::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0 && errno == ECONNREFUSED;
  ::close(socket);
  return !is_refused;
}

/// The folder is private. libzmq removes whatever lies where an ipc socket shall be; only what a dead plant left may
/// go.
std::optional<Error> prepare_ipc_place(const std::string& endpoint) {
  const std::string path = endpoint.substr(kIpc.size());
  const auto folder = make_private_folder(std::filesystem::path(path).parent_path());
  if (!folder) return folder.error();
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) return std::nullopt;
  if (!S_ISSOCK(status.st_mode)) return Error{endpoint, "there is a file of another kind in its place"};
  if (somebody_listens(path)) return Error{endpoint, "another plant listens there"};
  return std::nullopt;
}

void set_bounds(zmq::socket_type type, const SocketBounds& bounds, zmq::socket_t& socket) {
  socket.set(zmq::sockopt::linger, 0);
  socket.set(zmq::sockopt::sndhwm, bounds.queued_messages);
  socket.set(zmq::sockopt::rcvhwm, bounds.reads_at_once ? 0 : bounds.queued_messages);
  socket.set(zmq::sockopt::maxmsgsize, bounds.message_bytes);
  socket.set(zmq::sockopt::handshake_ivl, static_cast<int>(bounds.handshake.count()));
  // A client whose host went dark is noticed after 10 + 3 * 5 s.
  socket.set(zmq::sockopt::tcp_keepalive, 1);
  socket.set(zmq::sockopt::tcp_keepalive_idle, 10);
  socket.set(zmq::sockopt::tcp_keepalive_intvl, 5);
  socket.set(zmq::sockopt::tcp_keepalive_cnt, 3);
  // Who takes the routing id of another must not get its answers.
  if (type == zmq::socket_type::router) socket.set(zmq::sockopt::router_handover, 0);
}

std::optional<Error> ask_for_keys(const security::SecretKey& server_key, zmq::socket_t& socket) {
  socket.set(zmq::sockopt::zap_domain, security::kZapDomain);
  // Without this libzmq lets everybody in, encrypted, if there is no handler to ask.
  const int yes = 1;
  if (zmq_setsockopt(socket.handle(), kZapEnforceDomain, &yes, sizeof(yes)) != 0) {
    return Error{"ZeroMQ", "this libzmq cannot insist on the check of keys; 4.3 or later is needed"};
  }
  socket.set(zmq::sockopt::curve_server, 1);
  socket.set(zmq::sockopt::curve_secretkey, server_key.z85());
  return std::nullopt;
}

/// May throw what libzmq has to say.
Result<std::string> bind(const std::string& endpoint, zmq::socket_t& socket) {
  const bool is_ipv6 = endpoint.starts_with("tcp://[");
  socket.set(zmq::sockopt::ipv6, is_ipv6 ? 1 : 0);
  if (endpoint.starts_with(kIpc)) {
    if (const std::optional<Error> error = prepare_ipc_place(endpoint)) return *error;
    const OwnerOnlyFiles mask;
    socket.bind(endpoint);
  } else {
    socket.bind(endpoint);
  }
  return socket.get(zmq::sockopt::last_endpoint);
}

/// From now on who connects is not asked for a key.
void ask_for_no_keys(zmq::socket_t& socket) {
  const int no = 0;
  zmq_setsockopt(socket.handle(), kZapEnforceDomain, &no, sizeof(no));
  zmq_setsockopt(socket.handle(), ZMQ_ZAP_DOMAIN, nullptr, 0);  // the binding has no way to say: none
  socket.set(zmq::sockopt::curve_server, 0);
}

/// Those of one kind.
std::optional<Error> bind_all(std::span<const BindAddress> addresses, Access access, OnTaken on_taken,
                              BoundSocket& bound) {
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    if (addresses[i].access != access) continue;
    try {
      const Result<std::string> endpoint = bind(addresses[i].endpoint, bound.socket);
      if (!endpoint) return endpoint.error();
      bound.endpoints[i] = *endpoint;
    } catch (const zmq::error_t& error) {
      if (error.num() == EADDRINUSE && on_taken == OnTaken::kGoOn) {
        bound.endpoints[i] = addresses[i].endpoint;
        bound.down.push_back(addresses[i]);
        continue;
      }
      return Error{addresses[i].endpoint, std::string("cannot be bound: ") + error.what()};
    }
  }
  return std::nullopt;
}

}  // namespace

Result<zmq::context_t> make_context(int max_sockets) {
  try {
    zmq::context_t context(1);
    context.set(zmq::ctxopt::max_sockets, max_sockets);
    return context;
  } catch (const zmq::error_t& error) {
    return Error{"ZeroMQ", error.what()};
  }
}

Result<BoundSocket> bind_socket(zmq::context_t& context, zmq::socket_type type, const SocketBounds& bounds,
                                std::span<const BindAddress> addresses, const security::SecretKey* server_key,
                                OnTaken on_taken) {
  const auto guarded = std::find_if(addresses.begin(), addresses.end(),
                                    [](const BindAddress& address) { return address.access == Access::kCurve; });
  if (guarded != addresses.end() && server_key == nullptr) {
    return Error{guarded->endpoint, "asks clients for keys, but the plant has none of its own"};
  }
  try {
    BoundSocket bound{zmq::socket_t(context, type), std::vector<std::string>(addresses.size()), {}};
    set_bounds(type, bounds, bound.socket);
    if (const auto error = bind_all(addresses, Access::kOpen, on_taken, bound)) return *error;
    if (guarded == addresses.end()) return bound;
    if (const auto error = ask_for_keys(*server_key, bound.socket)) return *error;
    if (const auto error = bind_all(addresses, Access::kCurve, on_taken, bound)) return *error;
    return bound;
  } catch (const zmq::error_t& error) {
    return Error{"ZeroMQ", error.what()};
  }
}

bool bind_again(const BindAddress& address, const security::SecretKey* server_key, zmq::socket_t& socket) {
  try {
    if (address.access == Access::kOpen) {
      if (server_key != nullptr) ask_for_no_keys(socket);
    } else if (server_key == nullptr || ask_for_keys(*server_key, socket)) {
      return false;
    }
    return bind(address.endpoint, socket).has_value();
  } catch (const zmq::error_t&) {
    return false;
  }
}

}  // namespace kinloop::net
