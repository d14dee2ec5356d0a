// Owns Connection: which of our connections a message came by, and whether it is still there.
//
// ZeroMQ tells a message's descriptor; descriptors are used again, the inode of a socket is not. So a peer that left is
// noticed without asking it anything.
#pragma once

#include <sys/types.h>

#include <compare>
#include <zmq.hpp>

namespace kinloop::net {

struct Connection {
  int descriptor = -1;  // -1: none, since it came from within the process
  ino_t inode = 0;

  bool is_known() const noexcept { return descriptor >= 0; }
  /// False for what is not known.
  bool is_open() const noexcept;

  friend auto operator<=>(const Connection&, const Connection&) = default;
};

Connection connection_of(const zmq::message_t& message) noexcept;

}  // namespace kinloop::net
