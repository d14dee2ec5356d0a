// Owns RawClient: sends requests, or bytes that are none, to an EmbeddedPlant, without what the client library does.
#pragma once

#include <gtest/gtest.h>
#include <kinloop/v1/control.pb.h>

#include <chrono>
#include <optional>
#include <string>
#include <zmq.hpp>

#include "services/security/key_file.hpp"

namespace kinloop::io {

class RawClient {
 public:
  explicit RawClient(zmq::context_t& context) : socket_(context, zmq::socket_type::dealer) {
    socket_.set(zmq::sockopt::linger, 0);
    socket_.connect("inproc://plant/control");
  }
  RawClient(zmq::context_t& context, const std::string& address) : socket_(context, zmq::socket_type::dealer) {
    socket_.set(zmq::sockopt::linger, 0);
    socket_.connect(address);
  }
  RawClient(zmq::context_t& context, const std::string& address, const security::KeyPair& keys,
            const std::string& server)
      : socket_(context, zmq::socket_type::dealer) {
    socket_.set(zmq::sockopt::linger, 0);
    socket_.set(zmq::sockopt::curve_serverkey, server);
    socket_.set(zmq::sockopt::curve_publickey, keys.public_key);
    socket_.set(zmq::sockopt::curve_secretkey, keys.secret_key.z85());
    socket_.connect(address);
  }

  void send(const std::string& bytes) { socket_.send(zmq::buffer(bytes), zmq::send_flags::none); }
  void send(v1::ControlRequest request) {
    request.set_version(1);
    send(request.SerializeAsString());
  }
  /// Nothing where none comes in that time.
  std::optional<v1::ControlReply> receive(std::chrono::milliseconds patience) {
    socket_.set(zmq::sockopt::rcvtimeo, static_cast<int>(patience.count()));
    zmq::message_t message;
    if (!socket_.recv(message)) return std::nullopt;
    v1::ControlReply reply;
    EXPECT_TRUE(reply.ParseFromArray(message.data(), static_cast<int>(message.size())));
    return reply;
  }
  v1::ControlReply ask(const v1::ControlRequest& request) {
    send(request);
    const auto reply = receive(std::chrono::seconds(20));
    EXPECT_TRUE(reply) << "no answer";
    return reply.value_or(v1::ControlReply());
  }
  /// As the plant describes itself; the first that begins so.
  std::string address_of(const std::string& socket, const std::string& beginning) {
    v1::ControlRequest request;
    request.mutable_describe();
    const v1::ControlReply reply = ask(request);
    for (const v1::Endpoint& endpoint : reply.description().endpoints()) {
      if (endpoint.socket() == socket && endpoint.address().starts_with(beginning)) return endpoint.address();
    }
    ADD_FAILURE() << "no " << socket << " at " << beginning;
    return {};
  }
  void close() { socket_.close(); }

 private:
  zmq::socket_t socket_;
};

}  // namespace kinloop::io
