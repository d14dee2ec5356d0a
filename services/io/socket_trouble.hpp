// Owns what is said of a socket that failed.
#pragma once

#include <cerrno>
#include <string>
#include <zmq.hpp>

#include "services/log/log.hpp"

namespace kinloop::io {

/// A signal is none.
inline void tell_socket_trouble(const log::Logger& log, const zmq::error_t& error) {
  if (error.num() != EINTR) log.warning(std::string("trouble with a socket: ") + error.what());
}

}  // namespace kinloop::io
