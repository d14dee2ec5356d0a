// Owns SensorChannel: the frames of one topic as they come in, and EventChannel: what is told beside them.
#pragma once

#include <kinloop/client/options.hpp>

#include <memory>
#include <optional>

#include "src/decode.hpp"
#include "src/socket.hpp"

namespace kinloop::client {

/// The n of "sensors/<n>/"; 1 where it cannot be read.
std::uint64_t every_of(std::string_view topic);

class SensorChannel {
 public:
  static Result<SensorChannel> open(const Context& context, const std::string& address, const Keys& keys,
                                    int max_waiting);

  void set_shape(const FrameShape& shape) noexcept { shape_ = shape; }
  /// "sensors/<n>/", instead of the one before.
  void subscribe(const std::string& topic);

  const v1::SensorFrame* receive(Clock::time_point until, Which which, Counters& counters);

 private:
  explicit SensorChannel(Socket socket) : socket_(std::move(socket)) {}
  /// Takes what waits: one, or all but the newest. How many.
  int take(Which which, Counters& counters);
  void count_gap(int taken, Counters& counters);

  Socket socket_;
  std::unique_ptr<Inbox> newest_ = std::make_unique<Inbox>();
  std::unique_ptr<Inbox> spare_ = std::make_unique<Inbox>();
  FrameShape shape_;
  std::string topic_;
  std::uint64_t every_ = 1;
  std::uint64_t last_sequence_ = 0;
  v1::SensorFrame frame_;
};

class EventChannel {
 public:
  static Result<EventChannel> open(const Context& context, const std::string& address, const Keys& keys);

  std::optional<Event> receive(Clock::time_point until, Counters& counters);

 private:
  explicit EventChannel(Socket socket) : socket_(std::move(socket)) {}

  Socket socket_;
  std::unique_ptr<Inbox> inbox_ = std::make_unique<Inbox>();
};

}  // namespace kinloop::client
