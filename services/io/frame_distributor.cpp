// Frames, poses and the last frame; the thread that waits for them.
#include "services/io/frame_distributor.hpp"

#include <pthread.h>

#include "rt/messages/fault_frame.hpp"
#include "rt/messages/pose_sample.hpp"
#include "services/io/socket_trouble.hpp"

namespace kinloop::io {
namespace {

constexpr std::int64_t kMaxFrameWait_ns = 20'000'000;
constexpr std::int64_t kBetweenSubscriptions_ns = 1'000'000;
constexpr std::int64_t kBetweenMotions_ns = rt::kBetweenPictures_ns * 3 / 4;  // so that none of the plant's is missed

}  // namespace

FrameDistributor::FrameDistributor(FrameParts parts)
    : parts_(parts), retry_(parts_.sockets, net::Channel::kSensors, [this](const std::string& address) {
        parts_.tasks.post([&events = parts_.events, address] { events.endpoint_is_up(address); });
      }) {
  if (parts_.sockets != nullptr) publisher_.emplace(parts_.sockets->of(net::Channel::kSensors), parts_.schema_hash);
}

void FrameDistributor::start() {
  thread_ = std::thread([this] { run(); });
}

void FrameDistributor::stop() {
  stops_.store(true, std::memory_order_relaxed);
  if (thread_.joinable()) thread_.join();
}

void FrameDistributor::run() {
  ::pthread_setname_np(::pthread_self(), "frames");  // for ps and top
  rt::PlantMemory& memory = parts_.memory;
  rt::Beat& beat = rt::beat_of(memory.io_beats, rt::IoThread::kFrames);
  while (!stops_.load(std::memory_order_relaxed)) {
    beat.show(now_ns());
    const std::uint32_t seen = memory.to_client.seen();
    try {
      publish(now_ns());
    } catch (const zmq::error_t& error) {
      tell_socket_trouble(parts_.log, error);
      continue;
    }
    if (memory.replies.size() > 0 || memory.build_refusals.size() > 0) parts_.tasks.wake();
    memory.to_client.wait(seen, kMaxFrameWait_ns);
  }
  beat.end();
}

void FrameDistributor::publish(std::int64_t now_ns) {
  rt::PlantMemory& memory = parts_.memory;
  if (publisher_ && now_ns >= next_subscriptions_ns_) {
    next_subscriptions_ns_ = now_ns + kBetweenSubscriptions_ns;
    publisher_->take_subscriptions();
    retry_.try_again(now_ns);
  }
  for (std::size_t left = memory.frames.size(); left > 0 && memory.frames.take(frame_); --left) {
    const std::uint64_t number = parts_.events.frames() + 1;
    if (parts_.commands != nullptr) parts_.commands->answer(frame_, number);
    if (parts_.lanes != nullptr) parts_.lanes->publish(frame_, number);
    if (publisher_) publisher_->publish(frame_);
    parts_.events.count_frame();
    parts_.capture.take(frame_);
    parts_.adapters.send(frame_, now_ns);
  }
  publish_motion(now_ns);
  while (memory.last_frames.take(frame_)) {
    publish_last(now_ns);
  }
}

void FrameDistributor::publish_fault(std::span<const SensorSpec> sensors, std::int64_t now_ns) {
  frame_.count = static_cast<std::uint32_t>(sensors.size());
  rt::apply_on_fault(sensors, frame_);
  publish_last(now_ns);
}

/// To everybody, whatever their rate.
void FrameDistributor::publish_last(std::int64_t now_ns) {
  if (parts_.lanes != nullptr) parts_.lanes->publish(frame_, parts_.events.frames() + 1);
  if (publisher_) publisher_->publish_to_all(frame_);
  parts_.adapters.send(frame_, now_ns);
}

void FrameDistributor::publish_motion(std::int64_t now_ns) {
  if (!publisher_ || !publisher_->is_motion_wanted() || now_ns < next_motion_ns_) return;
  const auto motion = parts_.memory.pose.take();
  if (!motion.is_new) return;
  next_motion_ns_ = now_ns + kBetweenMotions_ns;
  publisher_->publish(*motion.value);
}

}  // namespace kinloop::io
