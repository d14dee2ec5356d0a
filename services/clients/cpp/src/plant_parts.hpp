// Owns what a Plant is made of.
#pragma once

#include <kinloop/client/plant.hpp>

#include "src/actuator_line.hpp"
#include "src/control_line.hpp"
#include "src/sensor_line.hpp"
#include "src/socket.hpp"

namespace kinloop::client {

struct Plant::Parts {
  Parts(std::unique_ptr<Context> zmq, ControlLine line, Options how)
      : context(std::move(zmq)), control(std::move(line)), options(std::move(how)) {}

  std::unique_ptr<Context> context;  // first: it ends after the sockets
  ControlLine control;
  Options options;
  v1::Description description;
  std::optional<ActuatorLine> actuators;
  std::optional<SensorLine> sensors;
  std::optional<EventLine> events;
  Lease lease;
  Counters counters;

  FrameShape shape() const noexcept { return {description.schema_hash(), description.sensors_size()}; }
  /// The line, connected when it is first needed.
  Result<ActuatorLine*> actuator_line();
  Result<SensorLine*> sensor_line();
  Result<EventLine*> event_line();

  Result<Lease> acquire(const std::vector<std::string>& names, double time_s);
  /// Whether the answer says that the lease is lost, and the caller wants it back.
  bool may_acquire_again(const FrameAnswer& answer) const noexcept {
    return answer.error.code() == v1::ERROR_CODE_NO_LEASE && options.when_lease_is_lost == LostLease::kAcquireAgain;
  }
  Result<Lease> acquire_again();
  /// Precondition: a lease was acquired, so that there is a line.
  Result<std::uint64_t> post(std::span<const double> values, std::uint64_t rearm);
  /// The same, where there is no connection once there is one again.
  Result<std::uint64_t> post_patiently(std::span<const double> values, std::uint64_t rearm);

 private:
  struct Place {
    std::string address;
    Keys keys;
  };
  Result<Place> place_of(std::string_view socket) const;
};

}  // namespace kinloop::client
