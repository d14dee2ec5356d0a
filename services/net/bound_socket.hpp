// Owns the making of sockets that strangers can reach: bounded in every way, guarded by CURVE where that is asked for.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <vector>
#include <zmq.hpp>

#include "core/base/result.hpp"
#include "services/security/key_file.hpp"

namespace kinloop::net {

struct SocketBounds {
  int queued_messages = 1000;  // per client and direction; what does not fit is dropped or waits, as the type has it
  std::int64_t message_bytes = std::int64_t{1} << 20;  // a larger one from a client cuts its connection
  std::chrono::milliseconds handshake{5000};           // a connection that is not through by then is cut
  /// What is received has no such bound: for a reader that takes all there is, at once. A connection whose messages
  /// wait must not be cut off by its peer: libzmq (4.3.4) ends the process if a ping is among them.
  bool reads_at_once = false;
};

/// kCurve: clients need a key that the ZapHandler of the context allows; without that handler all are refused.
enum class Access { kOpen, kCurve };

struct BindAddress {
  std::string endpoint;
  Access access = Access::kOpen;
};

struct BoundSocket {
  zmq::socket_t socket;
  std::vector<std::string> endpoints;  // where it really is, in the order of the addresses
  std::vector<BindAddress> down;       // of those that somebody else has taken
};

/// What becomes of a TCP port that somebody else has: an error, or the others are bound without it.
enum class OnTaken { kFail, kGoOn };

/// A context with room for `max_sockets` sockets. Connections are not counted there: file descriptors bound those.
Result<zmq::context_t> make_context(int max_sockets);

/// Makes a socket and binds it to all addresses, or to none, but for `on_taken`. `server_key` is needed where one of
/// them asks for CURVE. The files of ipc sockets are their owner's alone, in a private folder that is made if it is
/// missing; a living socket or another file in their place is an error.
Result<BoundSocket> bind_socket(zmq::context_t& context, zmq::socket_type type, const SocketBounds& bounds,
                                std::span<const BindAddress> addresses, const security::SecretKey* server_key,
                                OnTaken on_taken = OnTaken::kFail);

/// Whether an address of BoundSocket::down could be bound now. By the thread that uses the socket.
bool bind_again(const BindAddress& address, const security::SecretKey* server_key, zmq::socket_t& socket);

}  // namespace kinloop::net
