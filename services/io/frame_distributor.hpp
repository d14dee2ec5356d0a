// Owns FrameDistributor: takes the plant's frames and hands them to all who want them.
#pragma once

#include <atomic>
#include <optional>
#include <span>
#include <thread>

#include "rt/ipc/spin_gate.hpp"
#include "rt/loop/plant_memory.hpp"
#include "services/io/adapter_set.hpp"
#include "services/io/capture.hpp"
#include "services/io/command_receiver.hpp"
#include "services/io/endpoint_retry.hpp"
#include "services/io/event_publisher.hpp"
#include "services/io/frame_publisher.hpp"
#include "services/io/lane_set.hpp"
#include "services/io/task_queue.hpp"
#include "services/io/times.hpp"
#include "services/log/log.hpp"

namespace kinloop::io {

/// Where frames come from and go to; all of it outlives the distributor.
struct FrameParts {
  rt::PlantMemory& memory;
  Sockets* sockets;  // of which the XPUB of sensors is used by the distributor alone; null: nobody listens
  std::uint64_t schema_hash;
  CommandReceiver* commands;  // lockstep: frames answer them; else null
  LaneSet* lanes;             // null: there are none
  EventPublisher& events;
  Capture& capture;
  AdapterSet& adapters;
  TaskQueue& tasks;  // woken where the plant answered a request
  log::Logger log;
};

/// In lockstep, where each frame answers a command, the main thread calls publish(); else a thread of its own does.
class FrameDistributor {
 public:
  explicit FrameDistributor(FrameParts parts);
  ~FrameDistributor() { stop(); }
  FrameDistributor(const FrameDistributor&) = delete;
  FrameDistributor& operator=(const FrameDistributor&) = delete;

  /// From now on by a thread of its own, until stop().
  void start();
  void stop();

  /// Hands on what is there.
  void publish(std::int64_t now_ns);
  /// The plant is left alone, and nobody else says so: the last frame once more, as the rig declares it for a fault.
  void publish_fault(std::span<const SensorSpec> sensors, std::int64_t now_ns);
  /// The same as publish() until `done()`, for a bounded time. A step is a matter of microseconds: waiting for it here
  /// saves the way through the poll. At least what is there is published.
  template <class Done>
  void publish_until(std::int64_t now_ns, Done done) {
    for (std::int64_t time = now_ns; time - now_ns < kAnswerPatience_ns; time = io::now_ns()) {
      const std::uint32_t seen = parts_.memory.to_client.seen();
      publish(time);
      if (done()) return;
      if (spin_gate_.lets_spin()) {
        const bool is_signalled = parts_.memory.to_client.spin_wait(seen, kSpinWait_ns);
        spin_gate_.tell(is_signalled);
        if (is_signalled) continue;
      }
      parts_.memory.to_client.wait(seen, kAnswerPatience_ns - (time - now_ns));
    }
  }

 private:
  static constexpr std::int64_t kAnswerPatience_ns = 3'000'000;  // in which other clients wait for a step of lockstep
  static constexpr std::int64_t kSpinWait_ns = 100'000;          // for a step of lockstep, before it is slept for

  void run();
  void publish_motion(std::int64_t now_ns);
  void publish_last(std::int64_t now_ns);

  FrameParts parts_;
  std::optional<FramePublisher> publisher_;
  EndpointRetry retry_;
  rt::SensorFrame frame_;
  rt::SpinGate spin_gate_;
  std::int64_t next_subscriptions_ns_ = 0, next_motion_ns_ = 0;
  std::atomic<bool> stops_{false};
  std::thread thread_;
};

}  // namespace kinloop::io
