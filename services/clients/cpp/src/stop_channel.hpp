// Owns StopChannel: the connection to the stop sockets of a plant, over ZeroMQ or unix sockets: that of the supervisor
// and that of io, which are asked at once.
#pragma once

#include <kinloop/client/keys.hpp>
#include <kinloop/client/stop.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

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
  /// Adds what its answers come by, for zmq_poll.
  void add_poll_items(std::vector<zmq_pollitem_t>& items) const;

 private:
  /// To a unix socket.
  struct Line {
    std::string path;
    int socket = -1;  // connected, with a stop asked for
    std::string said = {};
  };

  explicit StopChannel(const std::string& path) : lines_{{path}, {path + std::string(kStopOfIo)}} {}
  StopChannel(Socket socket, const Context& context, std::string address, Keys keys) noexcept
      : remote_(std::move(socket)), context_(&context), path_(std::move(address)), keys_(std::move(keys)) {}
  bool is_local() const noexcept { return context_ == nullptr; }
  static void ask(Line& line) noexcept;
  static std::optional<StopReceipt> take(Line& line);
  static void hang_up(Line& line) noexcept;
  static Result<Socket> open_remote(const Context& context, const std::string& address, const Keys& keys);
  void hang_up() noexcept;

  std::optional<Socket> remote_;
  std::unique_ptr<Inbox> inbox_ = std::make_unique<Inbox>();
  const Context* context_ = nullptr;  // of the remote one; none: it is local
  std::string path_;                  // the remote one's address
  Keys keys_;
  std::vector<Line> lines_;
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
