// Owns what a Plant is made of.
#pragma once

#include <kinloop/client/plant.hpp>

#include "src/actuator_channel.hpp"
#include "src/control_channel.hpp"
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
  /// Precondition: a lease was acquired, so that there is a channel.
  Result<std::uint64_t> post(std::span<const double> values, std::uint64_t rearm);
  /// The same, where there is no connection once there is one again.
  Result<std::uint64_t> post_patiently(std::span<const double> values, std::uint64_t rearm);

 private:
  struct Place {
    std::string address;
    Keys keys;
  };
  Result<Place> place_of(std::string_view socket) const;
  std::optional<StopPlace> stop_place(StopSocketOf whose) const;
};

}  // namespace kinloop::client
