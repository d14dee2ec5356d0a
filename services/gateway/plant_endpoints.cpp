// Finds the addresses in the description; sockets that never block.
#include "services/gateway/plant_endpoints.hpp"

namespace kinloop::gateway {
namespace {

constexpr int kLinger_ms = 200;

}  // namespace

PlantEndpoints local_endpoints(const v1::Description& description) {
  PlantEndpoints endpoints;
  for (const v1::Endpoint& endpoint : description.endpoints()) {
    if (!endpoint.address().starts_with("ipc://")) continue;
    const auto take = [&](const char* name, std::string& port) {
      if (endpoint.socket() == name && port.empty()) port = endpoint.address();
    };
    take("control", endpoints.control);
    take("actuators", endpoints.actuators);
    take("sensors", endpoints.sensors);
    take("events", endpoints.events);
  }
  return endpoints;
}

zmq::socket_t connect_dealer(zmq::context_t& context, const std::string& address) {
  zmq::socket_t socket(context, zmq::socket_type::dealer);
  socket.set(zmq::sockopt::linger, kLinger_ms);
  socket.connect(address);
  return socket;
}

zmq::socket_t connect_subscriber(zmq::context_t& context, const std::string& address) {
  zmq::socket_t socket(context, zmq::socket_type::sub);
  socket.set(zmq::sockopt::linger, 0);
  socket.connect(address);
  return socket;
}

bool send(zmq::socket_t& socket, const google::protobuf::MessageLite& message) {
  return socket.send(zmq::buffer(message.SerializeAsString()), zmq::send_flags::dontwait).has_value();
}

}  // namespace kinloop::gateway
