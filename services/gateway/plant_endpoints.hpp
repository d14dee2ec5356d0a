// Owns PlantEndpoints: addresses of the sockets of the plant, to which the gateway connects as any client does.
#pragma once

#include <kinloop/v1/describe.pb.h>

#include <string>
#include <zmq.hpp>

namespace kinloop::gateway {

struct PlantEndpoints {
  std::string control, actuators, sensors, events;

  bool are_complete() const noexcept {
    return !control.empty() && !actuators.empty() && !sensors.empty() && !events.empty();
  }
};

/// Those in a folder of this user, which ask for no key.
PlantEndpoints local_endpoints(const v1::Description& description);

/// What is sent on it is still delivered when it is closed, if that is possible soon.
zmq::socket_t connect_dealer(zmq::context_t& context, const std::string& address);
zmq::socket_t connect_subscriber(zmq::context_t& context, const std::string& address);

/// False where there is no room.
bool send(zmq::socket_t& socket, const google::protobuf::MessageLite& message);

}  // namespace kinloop::gateway
