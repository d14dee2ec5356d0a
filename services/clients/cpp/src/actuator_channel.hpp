// Owns ActuatorChannel: command frames out, their answers in.
#pragma once

#include <kinloop/v1/frames.pb.h>
#include <kinloop/client/options.hpp>

#include <memory>
#include <optional>
#include <span>

#include "src/decode.hpp"
#include "src/socket.hpp"

namespace kinloop::client {

class ActuatorChannel {
 public:
  static Result<ActuatorChannel> open(const Context& context, const std::string& address, const Keys& keys);

  void set_shape(const FrameShape& shape) noexcept { shape_ = shape; }
  /// The frames from now on are of this lease; what is still answered about earlier ones is of no interest.
  void begin_lease(std::uint64_t lease) noexcept;
  bool wait_for_connection(Clock::time_point until) noexcept { return socket_.wait_to_send(until); }

  /// The number of a frame that goes another way.
  std::uint64_t next_sequence() noexcept { return ++last_sequence_; }
  /// The number of the frame; nothing if there is no connection.
  std::optional<std::uint64_t> send(std::span<const double> values, std::uint64_t rearm);

  /// The newest answer about a frame of this lease that is here already, or nullptr.
  const FrameAnswer* newest_answer(Counters& counters);
  /// The answer to that frame, or nullptr if none came until then.
  FrameAnswer* await(std::uint64_t sequence, Clock::time_point until, Counters& counters);

 private:
  explicit ActuatorChannel(Socket socket) : socket_(std::move(socket)) {}
  /// False if nothing waits.
  bool receive(Counters& counters, bool& is_answer);

  Socket socket_;
  std::unique_ptr<Inbox> inbox_ = std::make_unique<Inbox>();
  FrameShape shape_;
  v1::ActuatorFrame frame_;
  FrameAnswer answer_;
  std::string bytes_;
  std::uint64_t last_sequence_ = 0;
  std::uint64_t first_of_lease_ = 1;
};

}  // namespace kinloop::client
