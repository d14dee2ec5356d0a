// Owns ControlReceiver: the socket "control". Requests in, replies out.
#pragma once

#include <cstdint>

#include "services/io/rate_limit.hpp"
#include "services/io/request_handler.hpp"
#include "services/io/router.hpp"

namespace kinloop::io {

/// By the main thread.
class ControlReceiver {
 public:
  /// Both must outlive it.
  ControlReceiver(zmq::socket_t& socket, RequestHandler& handler) : router_(socket), handler_(handler) {}

  const Router& router() const noexcept { return router_; }

  /// Hands on what has come, a bounded number of requests at a time.
  void take(std::int64_t now_ns);
  void send(const Envelope& to, const v1::ControlReply& reply);

  /// Messages that were dropped here; those that the handler refused are counted by it.
  std::int64_t refused() const noexcept { return over_limit_ + router_.misshapen(); }

 private:
  static constexpr double kPerSecond = 1000.0, kBurst = 2000.0;  // of one sender

  Router router_;
  RequestHandler& handler_;
  RateLimit limit_{kPerSecond, kBurst};
  std::int64_t over_limit_ = 0;
};

}  // namespace kinloop::io
