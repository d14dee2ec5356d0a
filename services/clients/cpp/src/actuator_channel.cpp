// Frames are sent over a standing connection only: an old command must not arrive when the plant comes back.
#include "src/actuator_channel.hpp"

#include <time.h>  // NOLINT(modernize-deprecated-headers): clock_gettime

namespace kinloop::client {
namespace {

// Half a second at 1 kHz: a plant that takes no frames for that long is better not flooded afterwards.
constexpr int kMaxWaiting = 500;
constexpr int kMaxAnswersAtOnce = 2 * kMaxWaiting;

std::int64_t monotonic_ns() noexcept {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

}  // namespace

Result<ActuatorChannel> ActuatorChannel::open(const Context& context, const std::string& address, const Keys& keys) {
  SocketSettings settings;
  settings.only_when_connected = true;
  settings.max_waiting = kMaxWaiting;
  Result<Socket> socket = Socket::open(context, settings, keys, address);
  if (!socket) return socket.error();
  return ActuatorChannel(std::move(*socket));
}

void ActuatorChannel::begin_lease(std::uint64_t lease) noexcept {
  frame_.set_lease(lease);
  first_of_lease_ = last_sequence_ + 1;
}

std::optional<std::uint64_t> ActuatorChannel::send(std::span<const double> values, std::uint64_t rearm) {
  frame_.set_schema_hash(shape_.schema_hash);
  frame_.set_sequence(++last_sequence_);
  frame_.set_sent_ns(monotonic_ns());
  frame_.set_rearm(rearm);
  frame_.mutable_value()->Resize(static_cast<int>(values.size()), 0.0);
  for (std::size_t i = 0; i < values.size(); ++i) frame_.set_value(static_cast<int>(i), values[i]);
  bytes_.resize(frame_.ByteSizeLong());
  frame_.SerializeWithCachedSizesToArray(reinterpret_cast<std::uint8_t*>(bytes_.data()));
  if (!socket_.send(bytes_)) return std::nullopt;
  return last_sequence_;
}

bool ActuatorChannel::receive(Counters& counters, bool& is_answer) {
  if (!socket_.receive_now(*inbox_)) return false;
  is_answer = inbox_->parts() == 1 && decode_answer(inbox_->part(0), shape_, answer_);
  if (!is_answer) {
    ++counters.bad_messages;
  } else if (answer_.has_error) {
    ++counters.frames_refused;
  }
  return true;
}

const FrameAnswer* ActuatorChannel::newest_answer(Counters& counters) {
  const FrameAnswer* newest = nullptr;
  bool is_answer = false;
  for (int i = 0; i < kMaxAnswersAtOnce && receive(counters, is_answer); ++i) {
    // An unreadable one has overwritten what was read before it.
    newest = is_answer && answer_.sequence >= first_of_lease_ ? &answer_ : nullptr;
  }
  return newest;
}

FrameAnswer* ActuatorChannel::await(std::uint64_t sequence, Clock::time_point until, Counters& counters) {
  while (true) {
    bool is_answer = false;
    while (receive(counters, is_answer)) {
      if (is_answer && answer_.sequence == sequence) return &answer_;
    }
    if (Clock::now() >= until) return nullptr;
    socket_.wait_for_change(until);
  }
}

}  // namespace kinloop::client
