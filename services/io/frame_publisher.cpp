// Subscriptions in, frames out.
#include "services/io/frame_publisher.hpp"

#include <algorithm>
#include <charconv>
#include <set>

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
    if (text.empty() || (text[0] != '\0' && text[0] != '\1')) continue;
    Subscription subscription{std::string(text.substr(1)), net::connection_of(message),
                              security::caller_of(message).role};
    text[0] == '\1' ? add(std::move(subscription)) : remove(subscription);
  }
}

/// XPUB_MANUAL: nobody gets what was not confirmed here.
void FramePublisher::add(Subscription subscription) {
  if (std::any_of(subscriptions_.begin(), subscriptions_.end(),
                  [&](const Subscription& one) { return one.of.is_known() && is_same(one, subscription); })) {
    return;
  }
  if (!is_always_taken(subscription.text) && !has_room(subscription)) {
    forget_departed();
    if (!has_room(subscription)) return;
  }
  socket_.set(zmq::sockopt::subscribe, subscription.text);
  subscriptions_.push_back(std::move(subscription));
  list_topics();
}

/// A connection that ended is told of topic by topic, without its name.
void FramePublisher::remove(const Subscription& subscription) {
  if (subscription.of.is_known()) {
    socket_.set(zmq::sockopt::unsubscribe, subscription.text);
  } else if (forget_departed()) {
    return;
  }
  const auto found = std::find_if(subscriptions_.begin(), subscriptions_.end(),
                                  [&](const Subscription& one) { return is_same(one, subscription); });
  if (found == subscriptions_.end()) return;
  subscriptions_.erase(found);
  list_topics();
}

bool FramePublisher::forget_departed() {
  const auto has_left = [](const Subscription& one) { return one.of.is_known() && !one.of.is_open(); };
  if (std::erase_if(subscriptions_, has_left) == 0) return false;
  list_topics();
  return true;
}

/// There is always room for all frames, whatever rates others made up.
bool FramePublisher::is_always_taken(std::string_view text) {
  return text == kMotion || wire::kFrameTopic.starts_with(text) || every_of(text) == 1;
}

bool FramePublisher::has_room(const Subscription& wanted) const {
  const auto of_one = std::count_if(subscriptions_.begin(), subscriptions_.end(),
                                    [&](const Subscription& one) { return one.of.is_known() && one.of == wanted.of; });
  const bool is_observer = wanted.role == security::Role::kObserver;
  const std::size_t most = is_observer ? kMaxSubscriptions - kReserved : kMaxSubscriptions;
  return static_cast<std::size_t>(of_one) < kMaxOfOne && subscriptions_.size() < most;
}

/// Whoever asks for a mere beginning of topics gets all frames.
void FramePublisher::list_topics() {
  std::set<std::uint32_t> all;
  motion_wanted_ = false;
  for (const Subscription& one : subscriptions_) {
    motion_wanted_ = motion_wanted_ || one.text == kMotion;
    const std::uint32_t every = wire::kFrameTopic.starts_with(one.text) ? 1 : every_of(one.text);
    if (every != 0) all.insert(every);
  }
  topics_.clear();
  for (const std::uint32_t every : all) topics_.push_back({every, wire::frame_topic(every)});
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
