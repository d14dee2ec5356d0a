// Owns EventPublisher: publishes events, status and timing of the plant, and answers requests for them.
#pragma once

#include <kinloop/v1/event.pb.h>

#include <atomic>
#include <set>
#include <string>
#include <vector>
#include <zmq.hpp>

#include "rt/loop/plant_memory.hpp"
#include "services/io/command_arbiter.hpp"
#include "services/io/recorder.hpp"
#include "services/rig/rig_file.hpp"

namespace kinloop::io {

/// By the main thread, all but count_frame().
class EventPublisher {
 public:
  /// `socket` is the PUB of events; null: nobody listens. All must outlive it.
  EventPublisher(zmq::socket_t* socket, const LoadedRig& rig, rt::PlantMemory& memory, CommandArbiter& commands,
                 Recorder& recorder)
      : socket_(socket), rig_(rig), memory_(memory), commands_(commands), recorder_(recorder) {}

  /// Something that io itself did or saw. Step 0: the plant's present one.
  void tell(std::string_view kind, std::uint64_t step, std::int64_t value, const std::string& text);
  /// Passes on what the plant told, and publishes status and timing when they are due. `refused` are messages.
  void publish(std::int64_t now_ns, std::int64_t refused);
  void publish_status(std::int64_t refused);

  /// The supervisor is gone without a word: the plant ends with it.
  void supervisor_died();
  /// Addresses that others have taken, of which the status tells; said as events too.
  void endpoint_is_down(const std::string& address);
  void endpoint_is_up(const std::string& address);

  /// By the thread of the frames.
  void count_frame() noexcept { frames_.fetch_add(1, std::memory_order_relaxed); }
  std::uint64_t frames() const noexcept { return frames_.load(std::memory_order_relaxed); }

  /// How the plant's loop stands, as far as is known.
  const rt::LoopStatus& plant() {
    look_at_plant();
    return plant_;
  }
  v1::Status status(std::int64_t refused);
  v1::Timing timing();

 private:
  void look_at_plant();
  void take_events();
  void send(v1::Event& event);
  void send(const char* topic, const google::protobuf::MessageLite& message);
  v1::PlantState plant_state() const;

  zmq::socket_t* socket_;
  const LoadedRig& rig_;
  rt::PlantMemory& memory_;
  CommandArbiter& commands_;
  Recorder& recorder_;
  rt::LoopStatus plant_;
  std::set<std::string> endpoints_down_;
  std::vector<char> buffer_;
  std::uint64_t sequence_ = 0;
  std::int64_t next_status_ns_ = 0, next_timing_ns_ = 0;
  bool has_ended_ = false, told_death_ = false;
  bool is_forsaken_ = false;  // the supervisor died, or the plant ended by another's hand
  std::atomic<std::uint64_t> frames_{0};
};

}  // namespace kinloop::io
