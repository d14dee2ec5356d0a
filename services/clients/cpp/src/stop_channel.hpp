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

/// An address as stop_address_beside() gives it, and the keys it takes.
struct StopPlace {
  std::string address;
  Keys keys;
};

class StopChannel {
 public:
  /// Nothing is asked yet. The context must outlive it.
  static Result<StopChannel> open(const Context& context, const std::vector<StopPlace>& places);
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

  /// Over ZeroMQ.
  struct Remote {
    StopPlace place;
    std::optional<Socket> socket;
    int asked = 0;  // without an answer yet: each asking has one
  };

  explicit StopChannel(const Context& context) noexcept : context_(&context) {}
  static void ask(Line& line) noexcept;
  static std::optional<StopReceipt> take(Line& line);
  static void hang_up(Line& line) noexcept;
  void begin(Remote& remote);
  std::optional<StopReceipt> take(Remote& remote);
  void hang_up() noexcept;

  const Context* context_;
  std::vector<Remote> remotes_;
  std::unique_ptr<Inbox> inbox_ = std::make_unique<Inbox>();
  std::vector<Line> lines_;
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
