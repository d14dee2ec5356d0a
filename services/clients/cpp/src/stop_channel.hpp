// Owns StopChannel: the connection to the stop socket of a plant's supervisor, over a unix socket or ZeroMQ.
#pragma once

#include <kinloop/client/keys.hpp>
#include <kinloop/client/stop.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "src/control_channel.hpp"
#include "src/socket.hpp"

namespace kinloop::client {

class StopChannel {
 public:
  /// `address` as stop_address_beside() gives it. Nothing is asked yet.
  static Result<StopChannel> open(const Context& context, const std::string& address, const Keys& keys);
  StopChannel(StopChannel&& other) noexcept;
  StopChannel& operator=(StopChannel&&) = delete;
  ~StopChannel();

  /// A stop of its own from here on: what is still on its way answers an earlier one.
  void begin() noexcept;
  /// Once more where no connection stands or nothing was asked over it yet; never waits.
  void ask() noexcept;
  /// The confirmation, once it came.
  std::optional<StopReceipt> take();
  /// Of its answer, for zmq_poll.
  zmq_pollitem_t poll_item() const noexcept;

 private:
  explicit StopChannel(std::string path) noexcept : path_(std::move(path)) {}
  explicit StopChannel(Socket socket) noexcept : remote_(std::move(socket)) {}
  void ask_local() noexcept;
  std::optional<StopReceipt> take_local();
  void hang_up() noexcept;

  std::optional<Socket> remote_;  // else it is local
  std::unique_ptr<Inbox> inbox_ = std::make_unique<Inbox>();
  std::string path_;
  int local_ = -1;  // connected, with a stop asked for
  std::string line_;
  int asked_ = 0;  // without an answer yet, over ZeroMQ, where each has one and they keep their order
  int stale_ = 0;  // of those that come, so many are answers to an earlier stop
};

/// Who confirmed a stop.
struct StopOutcome {
  std::optional<StopReceipt> receipt;             // the supervisor
  std::optional<Result<v1::ControlReply>> reply;  // io; or its refusal, if nobody confirmed
};
/// Asks both, as far as there are any, again and again until one confirms or `until`.
StopOutcome ask_until_confirmed(StopChannel* channel, ControlChannel* control, Clock::time_point until,
                                const std::function<bool()>& gives_up);

}  // namespace kinloop::client
