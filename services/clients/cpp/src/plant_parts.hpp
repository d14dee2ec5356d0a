// Owns what a Plant is made of.
#pragma once

#include <kinloop/client/plant.hpp>

#include "src/actuator_channel.hpp"
#include "src/control_channel.hpp"
#include "src/lane_channel.hpp"
#include "src/sensor_channel.hpp"
#include "src/socket.hpp"
#include "src/stop_channel.hpp"

namespace kinloop::client {

struct Plant::Parts {
  Parts(std::unique_ptr<Context> zmq, ControlChannel channel, Options how)
      : context(std::move(zmq)), control(std::move(channel)), options(std::move(how)) {}

  std::unique_ptr<Context> context;  // first: it ends after the sockets
  ControlChannel control;
  Options options;
  v1::Description description;
  std::optional<ActuatorChannel> actuators;
  std::optional<SensorChannel> sensors;
  std::unique_ptr<LaneChannel> lane;  // of the lease; null: its frames travel by the sockets
  std::string topic;                  // of frames; empty: nobody asked for any
  std::optional<EventChannel> events;
  std::optional<StopChannel> stop;
  Lease lease;
  Counters counters;

  FrameShape shape() const noexcept { return {description.schema_hash(), description.sensors_size()}; }
  /// The channel, connected when it is first needed.
  Result<ActuatorChannel*> actuator_channel();
  Result<SensorChannel*> sensor_channel();
  Result<EventChannel*> event_channel();
  /// nullptr where the plant has none that this client reaches.
  StopChannel* stop_channel();

  Result<Lease> acquire(const std::vector<std::string>& names, double time_s);
  /// Whether the answer says that the lease is lost, and the caller wants it back.
  bool may_acquire_again(const FrameAnswer& answer) const noexcept {
    return answer.error.code() == v1::ERROR_CODE_NO_LEASE && options.when_lease_is_lost == LostLease::kAcquireAgain;
  }
  Result<Lease> acquire_again();
  /// Where a lane could be had; empty: nowhere.
  std::string lane_address() const;
  /// The lane, where there is one and it is not over; one that is over is given up: the sockets go on.
  LaneChannel* live_lane() noexcept;
  /// Of the lane and of the socket.
  const FrameAnswer* newest_answer();
  /// The answer to a frame; nullptr: none came in time. `is_lost`: the plant did not take it, and never will.
  const FrameAnswer* await(std::uint64_t sequence, bool& is_lost);
  const v1::SensorFrame* receive(Clock::time_point until, Which which);
  Result<bool> subscribe(const std::string& its_topic);

  /// Precondition: a lease was acquired, so that there is a channel.
  Result<std::uint64_t> post(std::span<const double> values, std::uint64_t rearm);
  /// The same, where there is no connection once there is one again.
  Result<std::uint64_t> post_patiently(std::span<const double> values, std::uint64_t rearm);

 private:
  void open_lane();
  struct Place {
    std::string address;
    Keys keys;
  };
  Result<Place> place_of(std::string_view socket) const;
  std::optional<StopPlace> stop_place(StopSocketOf whose) const;
};

}  // namespace kinloop::client
