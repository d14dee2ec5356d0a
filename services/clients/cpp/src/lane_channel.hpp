// Owns LaneChannel: the lane of one lease to a plant of this host, in place of the sockets for frames.
#pragma once

#include <kinloop/client/lane.hpp>
#include <kinloop/client/options.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "src/decode.hpp"
#include "src/socket.hpp"

namespace kinloop::client {

class LaneChannel {
 public:
  /// What it is for; one that is given is of the plant that gave the lease.
  struct Terms {
    std::uint64_t lease = 0;
    FrameShape shape;
  };
  /// Of an endpoint "unix:///folder/lane". Nothing where this client cannot have one: it uses the sockets then.
  static std::unique_ptr<LaneChannel> open(const std::string& address, const Terms& terms, Clock::time_point until);
  LaneChannel(const LaneChannel&) = delete;
  LaneChannel& operator=(const LaneChannel&) = delete;
  ~LaneChannel();

  /// The plant takes nothing more from here. Looks at the connection where nothing else would tell.
  bool is_over() noexcept;
  /// The same, as far as it is known already.
  bool has_ended() const noexcept { return is_over_; }
  /// False where there is no room, or the lane is over and the plant did not take it.
  bool send(std::uint64_t sequence, std::span<const double> values, std::uint64_t rearm) noexcept;

  /// Of a lane that is over: whether the plant took all that was sent; what it did not take moves nothing any more.
  bool has_taken_all() const noexcept { return of_plant().head.load(std::memory_order_acquire) == tail_; }

  /// As of ActuatorChannel; await() gives nullptr too once the lane is over.
  const FrameAnswer* newest_answer(Counters& counters);
  FrameAnswer* await(std::uint64_t sequence, Clock::time_point until, Counters& counters);

  /// Frames from now on are seen, at the first receive() if it was not called.
  void subscribe() noexcept;
  /// Every n-th frame, from now on.
  void set_every(std::uint64_t every) noexcept;
  /// As of SensorChannel; nothing too where the lane is over.
  const v1::SensorFrame* receive(Clock::time_point until, Which which, Counters& counters);

 private:
  /// A file of this size, mapped; nothing where it is none.
  struct Mapping {
    void* data = nullptr;
    std::size_t size = 0;
  };
  static std::optional<Mapping> map(int descriptor, std::size_t size, int protection) noexcept;

  LaneChannel(int connection, Mapping commands, Mapping frames, const FrameShape& shape) noexcept;
  lane::CommandMemory& own() const noexcept { return *static_cast<lane::CommandMemory*>(commands_.data); }
  lane::FrameMemory& of_plant() const noexcept { return *static_cast<lane::FrameMemory*>(frames_.data); }
  bool is_connected() const noexcept;
  /// Sleeps until there is more than at `seen` (FrameMemory::signals), for a bounded time.
  void wait(std::uint32_t seen, Clock::time_point until) noexcept;
  /// Whether the n-th was whole, before and after it was copied.
  bool copy_answer(std::uint64_t n, Counters& counters);
  /// Words that the slot has in this moment.
  void copy_frame(const lane::Slot& slot, std::size_t first, v1::SensorFrame& frame) const;
  bool take_frame(Which which, Counters& counters);

  int connection_ = -1;
  Mapping commands_, frames_;
  FrameShape shape_;
  lane::Command command_;
  FrameAnswer answer_;
  v1::SensorFrame frame_;
  std::uint64_t tail_ = 0, next_answer_ = 0, next_frame_ = 0;
  std::uint64_t every_ = 1, last_sequence_ = 0;
  bool is_subscribed_ = false, is_over_ = false;
};

}  // namespace kinloop::client
