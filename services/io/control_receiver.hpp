// Owns ControlReceiver: the socket "control". Requests in, replies out.
#pragma once

#include <cstdint>
#include <optional>

#include "services/io/rate_limit.hpp"
#include "services/io/request_handler.hpp"
#include "services/io/router.hpp"
#include "services/io/unsent_bytes.hpp"
#include "services/wire/request_head.hpp"

namespace kinloop::io {

/// By the main thread.
class ControlReceiver {
 public:
  /// Both must outlive it.
  ControlReceiver(zmq::socket_t& socket, RequestHandler& handler) : router_(socket), handler_(handler) {}

  const Router& router() const noexcept { return router_; }

  /// Hands on what has come, a bounded number of requests at a time.
  void take(std::int64_t now_ns);
  void send(const Envelope& to, const Answer& answer);

  /// Messages that were dropped here; those that the handler refused are counted by it.
  std::int64_t refused() const noexcept { return over_limit_ + router_.misshapen(); }

 private:
  bool is_heard(const std::optional<wire::RequestHead>& head, std::int64_t now_ns);
  bool has_room() const;

  // Of one sender; bytes of requests and answers together. An answer of the largest size fits into a burst.
  static constexpr Rate kMessages{1000.0, 2000.0};
  static constexpr Rate kBytes{16.0 * (1 << 20), 64.0 * (1 << 20)};
  static constexpr std::size_t kMaxStopBytes = 4096;
  // Answers that wait for clients to read them. The last part is for those who command.
  static constexpr std::int64_t kMaxUnsent = std::int64_t{16} << 20;  // of one sender
  static constexpr std::int64_t kMaxUnsentOfObservers = std::int64_t{64} << 20;
  static constexpr std::int64_t kMaxUnsentOfAll = std::int64_t{96} << 20;

  Router router_;
  RequestHandler& handler_;
  RateLimit limit_{kMessages, kBytes};
  UnsentBytes unsent_;
  std::int64_t over_limit_ = 0;
};

}  // namespace kinloop::io
