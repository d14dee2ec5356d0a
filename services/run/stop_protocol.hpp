// Owns StopProtocol: what a client of the supervisor's stop server says, and what it is told.
#pragma once

#include <kinloop/client/stop.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "services/gateway/access.hpp"

namespace kinloop::run {

/// What the bytes of a client came to so far.
struct StopWish {
  enum class Kind { kIncomplete, kStop, kOther };
  Kind kind = Kind::kIncomplete;
  std::string answer;  // to what is no stop; empty: none
};

/// One for each kind of socket; used by one thread.
class StopProtocol {
 public:
  virtual ~StopProtocol() = default;

  /// Whether whoever connected may speak at all.
  virtual bool lets_in(int socket) const = 0;
  virtual StopWish read(std::string_view said) const = 0;
  /// To a stop; nothing: the plant did not latch it in time.
  virtual std::string confirm(std::string_view said, const std::optional<client::StopReceipt>& latched) const = 0;
  /// For the log: how it was asked.
  virtual std::string_view way() const = 0;
};

/// Lines over a unix socket, for this user and the system's own: services/net/stop_socket.hpp.
std::unique_ptr<StopProtocol> stop_by_line();
/// POST /stop, with the tokens of the page and for its origin; "Authorization: Bearer <token>". Answers with JSON.
/// `page_port` is known once there is a page, 0 before; it outlives the protocol.
std::unique_ptr<StopProtocol> stop_by_http(gateway::Access access, const std::atomic<std::uint16_t>& page_port);

}  // namespace kinloop::run
