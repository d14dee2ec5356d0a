// Owns the answers to ZAP, ZeroMQ's question whether a client may connect (RFC 27).
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <zmq.hpp>

#include "core/base/result.hpp"
#include "services/security/allowed_keys.hpp"

namespace kinloop::security {

/// Of every socket that asks for keys.
inline constexpr const char* kZapDomain = "kinloop";

/// What is answered to one request.
struct ZapReply {
  std::string request_id;
  std::string status;   // "200" or "400"
  std::string text;     // why not
  std::string user_id;  // "role:name"
};

/// `frames` as in RFC 27, the envelope taken off: version, request id, domain, address, identity, mechanism,
/// credentials. Nothing for what cannot even be answered.
std::optional<ZapReply> answer_zap(std::span<const std::string> frames, const KeyFolder& keys);

/// Answers for all sockets of a context, in a thread of its own. Without it they refuse everybody: sockets of
/// services/net insist on an answer.
class ZapHandler {
 public:
  struct Counts {
    std::int64_t accepted = 0;
    std::int64_t refused = 0;
    std::int64_t malformed = 0;  // requests that were dropped
  };
  /// One line for the log, from the handler's thread: who was refused and why, at most one a second; errors in the
  /// folder of keys. It shows no key in full.
  using Report = std::function<void(const std::string&)>;

  /// Is ready when it returns; make it before sockets are bound. The context must outlive it; one for each context.
  static Result<std::unique_ptr<ZapHandler>> start(zmq::context_t& context, KeyFolder keys, Report report);
  ~ZapHandler();
  ZapHandler(const ZapHandler&) = delete;
  ZapHandler& operator=(const ZapHandler&) = delete;

  /// At any time, from any thread.
  Counts counts() const noexcept;

 private:
  ZapHandler(zmq::socket_t socket, int wake, KeyFolder keys, Report report);
  void serve() noexcept;
  void serve_one();
  void refresh_keys();
  void tell_refusal(std::string_view address, const ZapReply& reply);
  void say(const std::string& line) noexcept;

  zmq::socket_t socket_;
  int wake_;  // an eventfd, readable once it shall stop
  KeyFolder keys_;
  Report report_;
  std::chrono::steady_clock::time_point next_report_{};
  std::int64_t untold_ = 0;
  // Each is written by the handler's thread alone and stands for itself: no order is promised between them.
  std::atomic<std::int64_t> accepted_{0}, refused_{0}, malformed_{0};
  std::thread thread_;
};

}  // namespace kinloop::security
