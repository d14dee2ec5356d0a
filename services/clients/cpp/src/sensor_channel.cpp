// Only the frame that is handed out is decoded; those passed over are counted.
#include "src/sensor_channel.hpp"

#include <charconv>
#include <utility>

namespace kinloop::client {
namespace {

// A publisher that is faster than this loop must not hold the caller for ever.
constexpr int kMaxAtOnce = 10000;
constexpr std::string_view kTopicStart = "sensors/";

}  // namespace

std::uint64_t every_of(std::string_view topic) {
  std::uint64_t every = 0;
  if (topic.starts_with(kTopicStart)) {
    topic.remove_prefix(kTopicStart.size());
    std::from_chars(topic.data(), topic.data() + topic.size(), every);
  }
  return every == 0 ? 1 : every;
}

Result<SensorChannel> SensorChannel::open(const Context& context, const std::string& address, const Keys& keys,
                                          int max_waiting) {
  SocketSettings settings;
  settings.type = ZMQ_SUB;
  settings.max_waiting = max_waiting;
  Result<Socket> socket = Socket::open(context, settings, keys, address);
  if (!socket) return socket.error();
  return SensorChannel(std::move(*socket));
}

void SensorChannel::subscribe(const std::string& topic) {
  if (topic == topic_) return;
  socket_.subscribe(topic);
  if (!topic_.empty()) socket_.unsubscribe(topic_);
  topic_ = topic;
  every_ = every_of(topic);
  last_sequence_ = 0;
}

int SensorChannel::take(Which which, Counters& counters) {
  const int most = which == Which::kNext ? 1 : kMaxAtOnce;
  int taken = 0;
  for (int looked_at = 0; taken < most && looked_at < kMaxAtOnce && socket_.receive_now(*spare_); ++looked_at) {
    if (spare_->parts() != 2) {
      ++counters.bad_messages;
    } else if (spare_->part(0) == topic_) {  // others still came for an earlier subscription
      std::swap(newest_, spare_);
      ++taken;
    }
  }
  return taken;
}

void SensorChannel::count_gap(int taken, Counters& counters) {
  const std::uint64_t sequence = frame_.sequence();
  // A smaller number than before: io was restarted, and nothing is known about what lies between.
  if (last_sequence_ != 0 && sequence > last_sequence_) {
    const std::uint64_t expected = (sequence - last_sequence_) / every_;
    if (expected > static_cast<std::uint64_t>(taken)) {
      counters.frames_lost += expected - static_cast<std::uint64_t>(taken);
    }
  }
  last_sequence_ = sequence;
}

const v1::SensorFrame* SensorChannel::receive(Clock::time_point until, Which which, Counters& counters) {
  while (true) {
    while (const int taken = take(which, counters)) {
      const FrameCheck check = decode_frame(newest_->part(1), shape_, frame_);
      counters.frames_received += static_cast<std::uint64_t>(taken);
      if (check == FrameCheck::kGood) {
        count_gap(taken, counters);
        return &frame_;
      }
      ++(check == FrameCheck::kBad ? counters.bad_messages : counters.foreign_frames);
    }
    if (Clock::now() >= until) return nullptr;
    socket_.wait_to_receive(until);
  }
}

Result<EventChannel> EventChannel::open(const Context& context, const std::string& address, const Keys& keys) {
  SocketSettings settings;
  settings.type = ZMQ_SUB;
  Result<Socket> socket = Socket::open(context, settings, keys, address);
  if (!socket) return socket.error();
  socket->subscribe("");
  return EventChannel(std::move(*socket));
}

std::optional<Event> EventChannel::receive(Clock::time_point until, Counters& counters) {
  while (true) {
    while (socket_.receive_now(*inbox_)) {
      std::optional<Event> event;
      if (inbox_->parts() == 2) event = decode_event(inbox_->part(0), inbox_->part(1));
      if (event) return event;
      ++counters.bad_messages;
    }
    if (Clock::now() >= until) return std::nullopt;
    socket_.wait_to_receive(until);
  }
}

}  // namespace kinloop::client
