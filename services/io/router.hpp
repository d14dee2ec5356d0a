// Owns the reading of messages from a ROUTER: who sent it, then what. Buffers are used again.
#pragma once

#include <string>
#include <vector>
#include <zmq.hpp>

#include "services/io/reply_cache.hpp"
#include "services/net/connection.hpp"
#include "services/security/roles.hpp"
#include "services/wire/frame_codec.hpp"

namespace kinloop::io {

class Router {
 public:
  /// The socket is this thread's alone.
  explicit Router(zmq::socket_t& socket) : socket_(socket) {}

  /// The next message, if there is one: sender, perhaps an empty part (REQ), then the one that counts. Messages of
  /// other shapes are passed over and counted. No allocation of ours once it has grown.
  bool take();

  const std::string& sender() const noexcept { return sender_; }
  bool has_delimiter() const noexcept { return has_delimiter_; }
  wire::Bytes body() const noexcept { return {static_cast<const char*>(body_.data()), body_.size()}; }
  security::Caller caller() const { return security::caller_of(body_); }
  net::Connection connection() const { return net::connection_of(body_); }
  Envelope envelope() const;
  std::int64_t misshapen() const noexcept { return misshapen_; }

  /// To poll. It tells of a change only: after the socket was used something may wait of which it does not tell.
  int descriptor() const { return socket_.get(zmq::sockopt::fd); }
  /// Whether the socket was used since take() last found nothing: then it is looked at before anybody sleeps.
  bool is_used() const noexcept { return is_used_; }

  /// To one that was heard before. A peer that is gone or does not read loses it; nobody waits.
  void send(const Envelope& to, zmq::message_t body);
  void send(const std::string& to, bool with_delimiter, wire::Bytes body);

 private:
  bool take_parts();
  void send(const std::string& to, bool with_delimiter, zmq::message_t body);

  zmq::socket_t& socket_;
  std::string sender_;
  zmq::message_t part_, body_;
  bool has_delimiter_ = false;
  bool is_used_ = true;
  std::int64_t misshapen_ = 0;
};

}  // namespace kinloop::io
