// Owns Capture: steps around the one at which a sensor meets a condition.
//
// Frames come from the thread that publishes them, requests from the main one.
#pragma once

#include <kinloop/v1/control.pb.h>

#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <vector>

#include "rt/messages/frame.hpp"

namespace kinloop::io {

class Capture {
 public:
  static constexpr std::size_t kMaxBefore = 4096;  // frames that are remembered
  static constexpr std::size_t kMaxAfter = 20'000;
  static constexpr std::size_t kMaxWaiting = 16;

  /// Called once, by the thread of the frames or that of expire() and cancel(), with what it may take away; nothing:
  /// the time was over.
  using Done = std::function<void(v1::CaptureReply*)>;

  Capture() : before_(kMaxBefore) {}

  /// The request makes sense, `sensor` is the number of its sensor. False where too many wait already.
  bool begin(std::uint64_t key, const std::string& owner, const v1::CaptureRequest& request, std::size_t sensor,
             std::int64_t until_ns, Done done);
  bool cancel(std::uint64_t key);
  void cancel_all_of(const std::string& owner);
  void expire(std::int64_t now_ns);

  /// Every frame, in their order.
  void take(const rt::SensorFrame& frame);

 private:
  struct Trigger {
    std::uint64_t key = 0;
    std::string owner;
    v1::CaptureRequest request;
    std::size_t sensor = 0;
    std::int64_t until_ns = 0;
    Done done;
    bool has_triggered = false;
    std::size_t left = 0;  // frames to come
    v1::CaptureReply reply;
  };

  template <class Condition>
  bool end_those(const Condition& condition);
  bool is_met(const Trigger& trigger, const rt::SensorFrame& frame) const;
  void begin_reply(Trigger& trigger, const rt::SensorFrame& frame) const;
  static void add(const rt::SensorFrame& frame, v1::CaptureReply& reply);

  std::mutex mutex_;
  std::list<Trigger> triggers_;
  std::vector<rt::SensorFrame> before_;  // a ring
  std::uint64_t count_ = 0;              // of frames taken
};

}  // namespace kinloop::io
