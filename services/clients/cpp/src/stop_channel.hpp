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

  /// A stop of its own from here on: what is still on its way answers an earlier one. Such answers may be late, or lost
  /// with a connection: they are not waited for, since a new socket gets none of them.
  void begin();
  /// Once more where no connection stands or nothing was asked over it yet; never waits.
  void ask() noexcept;
  /// The confirmation, once it came.
  std::optional<StopReceipt> take();
  /// Of its answer, for zmq_poll.
  zmq_pollitem_t poll_item() const noexcept;

 private:
  explicit StopChannel(std::string path) noexcept : path_(std::move(path)) {}
  StopChannel(Socket socket, const Context& context, std::string address, Keys keys) noexcept
      : remote_(std::move(socket)), context_(&context), path_(std::move(address)), keys_(std::move(keys)) {}
  bool is_local() const noexcept { return context_ == nullptr; }
  void ask_local() noexcept;
  std::optional<StopReceipt> take_local();
  static Result<Socket> open_remote(const Context& context, const std::string& address, const Keys& keys);
  void hang_up() noexcept;

  std::optional<Socket> remote_;
  std::unique_ptr<Inbox> inbox_ = std::make_unique<Inbox>();
  const Context* context_ = nullptr;  // of the remote one; none: it is local
  std::string path_;                  // of the local one, else the address
  Keys keys_;
  int local_ = -1;  // connected, with a stop asked for
  std::string line_;
  int asked_ = 0;  // over ZeroMQ, where each asking has one answer, without one yet
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
