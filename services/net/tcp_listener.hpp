// Owns the making of a plain TCP socket that listens at a numeric address.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/result.hpp"

namespace kinloop::net {

struct TcpListener {
  int socket = -1;  // the caller's to close; it does not block
  std::uint16_t port = 0;
};

/// `host` is a number, "127.0.0.1" or "::1"; port 0: any that is free.
Result<TcpListener> listen_tcp(const std::string& host, std::uint16_t port);

}  // namespace kinloop::net
