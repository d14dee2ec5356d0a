// Owns PlaybackAdapter: a stimulus from a file in the place of a controller.
//
// What an actuator gets depends on the plant's time at the start of the step alone. In lockstep each step is released
// by the frame of the one before, so that every step gets its very value; by the clock, the value for the next step
// leaves with each frame and arrives as early as it can.
#pragma once

#include <atomic>

#include "services/io/adapter.hpp"
#include "services/io/adapter_lease.hpp"
#include "services/io/stimulus.hpp"

namespace kinloop::io {

class PlaybackAdapter final : public Adapter {
 public:
  /// Not in mode free. `name` is that of the rig's field, for messages.
  PlaybackAdapter(const std::string& name, const PlaybackAdapterSpec& spec, Stimulus stimulus, const RigSpec& rig,
                  CommandArbiter& commands);

  void begin(const rt::LoopStatus& plant, std::int64_t now_ns) override;
  void receive(std::int64_t now_ns) override;
  void send(const rt::SensorFrame& frame, std::int64_t now_ns) override;
  bool is_waiting() const noexcept override { return waits_for_ != 0; }
  std::string trouble() const override;

 private:
  enum class Part { kBefore, kWithin, kAfter };

  Part sample(double time_s) noexcept;
  void give(double time_s, std::int64_t now_ns);
  void release_step(double time_s, std::int64_t now_ns);
  AdapterLease::Outcome pass_on(std::int64_t now_ns);

  std::string name_;
  PlaybackAdapterSpec spec_;
  Stimulus stimulus_;
  CommandArbiter& commands_;
  AdapterLease lease_;
  bool is_lockstep_;
  double lead_s_;       // from a frame's time to the start of the first step that what it causes can reach
  double tolerance_s_;  // within which times are the same
  std::vector<double> initial_, values_;
  std::uint64_t sequence_ = 0;
  std::uint64_t waits_for_ = 0;          // lockstep: the release whose frame is due
  std::optional<double> postponed_s_;    // lockstep: the step that could not be released
  std::atomic<std::int64_t> denied_{0};  // written by the thread that sends, for the one that tells
};

}  // namespace kinloop::io
