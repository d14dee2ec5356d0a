// Owns the fixture of tests with keys: a plant's pair, a folder of allowed keys, and clients that have one or none.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>
#include <zmq.hpp>

#include "services/net/bound_socket.hpp"
#include "services/security/keys.hpp"
#include "services/security/roles.hpp"
#include "services/security/zap.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kinloop::security {

inline constexpr std::chrono::milliseconds kPatience{20000};

inline KeyPair new_pair(const std::string& name) { return make_key_pair(name).value(); }

class KeyFixture : public TemporaryFolder {
 protected:
  void SetUp() override {
    TemporaryFolder::SetUp();
    std::filesystem::create_directory(keys());
  }

  std::filesystem::path keys() const { return folder_ / "keys"; }
  std::filesystem::path public_file(const std::string& name) const { return keys() / (name + ".public"); }

  /// A new pair whose public half lies in the folder of allowed keys.
  KeyPair allow(const std::string& name, Role role) const {
    const KeyPair pair = new_pair(name);
    write("keys/" + name + ".public", public_key_text({name, role, pair.public_key}));
    return pair;
  }
};

/// A server that answers nobody, but says who wrote to it.
class KeyedServer : public KeyFixture {
 protected:
  void start_handler() {
    auto folder = KeyFolder::open(keys());
    ASSERT_TRUE(folder.has_value());
    auto handler = ZapHandler::start(context_, std::move(folder).value(), [this](const std::string& line) {
      const std::lock_guard lock(mutex_);
      log_ += line + "\n";
    });
    ASSERT_TRUE(handler.has_value()) << handler.error().what;
    handler_ = std::move(handler).value();
  }

  /// On a free port of loopback, with CURVE; more addresses go before it.
  void bind(std::vector<net::BindAddress> addresses = {}, const net::SocketBounds& bounds = {}) {
    addresses.push_back({"tcp://127.0.0.1:*", net::Access::kCurve});
    auto bound = net::bind_socket(context_, zmq::socket_type::router, bounds, addresses, &server_.secret_key);
    ASSERT_TRUE(bound.has_value()) << bound.error().what;
    socket_ = std::move(bound->socket);
    endpoints_ = bound->endpoints;
  }

  std::string tcp() const { return endpoints_.back(); }

  struct Received {
    Caller caller;
    std::string text;
  };

  /// The next message, or nothing within that time.
  std::optional<Received> receive(std::chrono::milliseconds patience = kPatience) {
    socket_.set(zmq::sockopt::rcvtimeo, static_cast<int>(patience.count()));
    zmq::message_t frame;
    if (!socket_.recv(frame)) return std::nullopt;
    while (frame.more()) (void)socket_.recv(frame);
    return Received{caller_of(frame), frame.to_string()};
  }

  std::string log() {
    const std::lock_guard lock(mutex_);
    return log_;
  }

  /// Until the handler has refused so many, or patience ends.
  bool refuses(std::int64_t count) const {
    const auto end = std::chrono::steady_clock::now() + kPatience;
    while (handler_->counts().refused < count && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    return handler_->counts().refused >= count;
  }

  std::mutex mutex_;  // of log_
  std::string log_;
  zmq::context_t context_{1};
  std::unique_ptr<ZapHandler> handler_;
  KeyPair server_ = new_pair("server");
  zmq::socket_t socket_;
  std::vector<std::string> endpoints_;
};

/// A client in a context of its own, and a watch on how its handshakes end.
class Client {
 public:
  Client() : socket_(context_, zmq::socket_type::dealer) {
    socket_.set(zmq::sockopt::linger, 0);
    socket_.set(zmq::sockopt::reconnect_ivl, 20);
    EXPECT_EQ(zmq_socket_monitor(socket_.handle(), "inproc://watch", ZMQ_EVENT_ALL), 0);
    watch_ = zmq::socket_t(context_, zmq::socket_type::pair);
    watch_.set(zmq::sockopt::rcvtimeo, static_cast<int>(kPatience.count()));
    watch_.connect("inproc://watch");
  }
  Client(const KeyPair& pair, const std::string& server_public_key) : Client() {
    socket_.set(zmq::sockopt::curve_serverkey, server_public_key);
    socket_.set(zmq::sockopt::curve_publickey, pair.public_key);
    socket_.set(zmq::sockopt::curve_secretkey, pair.secret_key.z85());
  }
  ~Client() { zmq_socket_monitor(socket_.handle(), nullptr, 0); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  void say(const std::string& endpoint, const std::string& text) {
    socket_.connect(endpoint);
    send(text);
  }
  void send(const std::string& text) { socket_.send(zmq::buffer(text), zmq::send_flags::none); }

  /// Waits for the end of the first handshake: did it succeed? Nothing where patience ended before it.
  std::optional<bool> is_let_in() {
    while (const std::optional<int> event = next_event()) {
      if (*event == ZMQ_EVENT_HANDSHAKE_SUCCEEDED) return true;
      const bool is_failure = *event == ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL ||
                              *event == ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL ||
                              *event == ZMQ_EVENT_HANDSHAKE_FAILED_AUTH || *event == ZMQ_EVENT_DISCONNECTED;
      if (is_failure) return false;
    }
    return std::nullopt;
  }
  bool is_cut_off() {
    while (const std::optional<int> event = next_event()) {
      if (*event == ZMQ_EVENT_DISCONNECTED) return true;
    }
    return false;
  }

 private:
  std::optional<int> next_event() {
    zmq::message_t event;
    if (!watch_.recv(event)) return std::nullopt;
    std::uint16_t number = 0;
    std::memcpy(&number, event.data(), sizeof(number));
    while (event.more()) (void)watch_.recv(event);
    return number;
  }

  zmq::context_t context_{1};
  zmq::socket_t socket_;
  zmq::socket_t watch_;
};

}  // namespace kinloop::security
