// Subscriptions in, frames out.
#include "services/io/frame_publisher.hpp"

#include <algorithm>
#include <charconv>

#include "services/wire/motion_codec.hpp"

namespace kinloop::io {
namespace {

constexpr std::string_view kMotion = "motion";

/// 0 where it is no topic of ours.
std::uint32_t every_of(std::string_view topic) {
  if (!topic.starts_with(wire::kFrameTopic) || !topic.ends_with('/')) return 0;
  const std::string_view digits = topic.substr(wire::kFrameTopic.size(), topic.size() - wire::kFrameTopic.size() - 1);
  std::uint32_t every = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), every);
  const bool is_number = error == std::errc{} && end == digits.data() + digits.size();
  return is_number && every <= FramePublisher::kMaxEvery ? every : 0;
}

}  // namespace

void FramePublisher::take_subscriptions() {
  constexpr int kMaxAtOnce = 256;
  zmq::message_t message;
  for (int i = 0; i < kMaxAtOnce; ++i) {
    if (!socket_.recv(message, zmq::recv_flags::dontwait)) return;
    const std::string_view text = message.to_string_view();
    if (!text.empty() && (text[0] == '\0' || text[0] == '\1')) follow(text.substr(1), text[0] == '\1');
  }
}

/// Whoever asks for a mere beginning of topics gets all frames, also when those who asked for them by name are gone.
void FramePublisher::follow(std::string_view subscription, bool is_wanted) {
  if (subscription == kMotion) motion_wanted_ = is_wanted;
  if (wire::kFrameTopic.starts_with(subscription)) {
    if (is_wanted) {
      beginnings_.emplace(subscription);
      return add_topic(1);
    }
    if (const auto found = beginnings_.find(subscription); found != beginnings_.end()) beginnings_.erase(found);
    return;
  }
  const std::uint32_t every = every_of(subscription);
  if (every == 0) return;
  if (is_wanted) return add_topic(every);
  if (every != 1 || beginnings_.empty()) remove_topic(every);
}

/// There is always room for all frames, whatever rates others made up.
void FramePublisher::add_topic(std::uint32_t every) {
  const auto is_there = [&](const Topic& topic) { return topic.every == every; };
  if (std::any_of(topics_.begin(), topics_.end(), is_there)) return;
  if (topics_.size() < kMaxTopics || every == 1) topics_.push_back({every, wire::frame_topic(every)});
}

void FramePublisher::remove_topic(std::uint32_t every) {
  std::erase_if(topics_, [&](const Topic& topic) { return topic.every == every; });
}

void FramePublisher::publish(const rt::SensorFrame& frame) {
  ++count_;
  wire::Bytes bytes;
  for (const Topic& topic : topics_) {
    if (count_ % topic.every != 0) continue;
    if (bytes.empty()) bytes = encoder_.encode(frame, count_);
    send(topic.name, bytes);
  }
}

void FramePublisher::publish_to_all(const rt::SensorFrame& frame) {
  const wire::Bytes bytes = encoder_.encode(frame, ++count_);
  for (const Topic& topic : topics_) send(topic.name, bytes);
}

void FramePublisher::publish(const rt::PoseSample& motion) {
  wire::to_wire(motion, motion_);
  buffer_.resize(motion_.ByteSizeLong());
  motion_.SerializeToArray(buffer_.data(), static_cast<int>(buffer_.size()));
  send(kMotion, {buffer_.data(), buffer_.size()});
}

void FramePublisher::send(std::string_view topic, wire::Bytes bytes) {
  socket_.send(zmq::buffer(topic), zmq::send_flags::sndmore | zmq::send_flags::dontwait);
  socket_.send(zmq::buffer(bytes.data(), bytes.size()), zmq::send_flags::dontwait);
}

}  // namespace kinloop::io
