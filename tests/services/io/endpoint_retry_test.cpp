// Tests that a port that somebody else took costs that address alone, and is served again once it is free.
#include "services/io/endpoint_retry.hpp"

#include <gtest/gtest.h>

#include <chrono>

#include "tests/support/temporary_folder.hpp"

namespace kinloop::io {
namespace {

class TakenPort : public TemporaryFolder {
 protected:
  /// An io that ran before, which had these.
  std::vector<v1::Endpoint> earlier_endpoints() {
    auto first = open_sockets(options(), {}, [](const std::string&) {});
    EXPECT_TRUE(first);
    return (*first)->endpoints;
  }
  ListenOptions options() const {
    ListenOptions options;
    options.addresses = {net::parse_listen_address("tcp://127.0.0.1:0").value(), net::listen_in(folder_ / "s").value()};
    return options;
  }
  static std::string address_of(const std::vector<v1::Endpoint>& endpoints, const std::string& socket) {
    for (const v1::Endpoint& endpoint : endpoints) {
      if (endpoint.socket() == socket && endpoint.address().starts_with("tcp://")) return endpoint.address();
    }
    return {};
  }
  /// Whether who connects there is heard by the socket.
  static bool is_served(Sockets& sockets, const std::string& address) {
    zmq::context_t context(1);
    zmq::socket_t client(context, zmq::socket_type::dealer);
    client.set(zmq::sockopt::linger, 0);
    client.connect(address);
    client.send(zmq::buffer(std::string_view("hello")), zmq::send_flags::none);
    sockets.of(net::Channel::kControl).set(zmq::sockopt::rcvtimeo, 20'000);
    zmq::message_t message;
    if (!sockets.of(net::Channel::kControl).recv(message)) return false;
    return sockets.of(net::Channel::kControl).recv(message).has_value() && message.to_string_view() == "hello";
  }

  static constexpr std::int64_t kSecond = 1'000'000'000;
};

TEST_F(TakenPort, CostsThatAddressAloneAndIsTriedAgain) {
  const std::vector<v1::Endpoint> earlier = earlier_endpoints();
  const std::string port = address_of(earlier, "control");
  zmq::context_t context(1);
  zmq::socket_t stranger(context, zmq::socket_type::router);
  stranger.bind(port);

  auto sockets = open_sockets(options(), earlier, [](const std::string&) {});
  ASSERT_TRUE(sockets) << sockets.error().front().what;
  const auto& down = (*sockets)->down[static_cast<std::size_t>(net::Channel::kControl)];
  ASSERT_EQ(down.size(), 1U);
  EXPECT_EQ(down[0].endpoint, port);
  EXPECT_EQ(address_of((*sockets)->endpoints, "control"), port) << "its clients go on to try it";
  EXPECT_TRUE(is_served(**sockets, "ipc://" + (folder_ / "s" / "control").string()));
  for (const net::Channel other : {net::Channel::kActuators, net::Channel::kSensors, net::Channel::kEvents}) {
    EXPECT_TRUE((*sockets)->down[static_cast<std::size_t>(other)].empty());
  }

  std::vector<std::string> up;
  EndpointRetry retry(sockets->get(), net::Channel::kControl,
                      [&](const std::string& address) { up.push_back(address); });
  retry.try_again(kSecond);
  EXPECT_TRUE(up.empty());
  stranger.close();
  std::int64_t now_ns = 2 * kSecond;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);  // ZeroMQ closes in its own time
  while (up.empty() && std::chrono::steady_clock::now() < end) retry.try_again(now_ns += kSecond);

  EXPECT_EQ(up, std::vector<std::string>{port});
  EXPECT_TRUE(down.empty());
  EXPECT_TRUE(is_served(**sockets, port));
}

TEST_F(TakenPort, IsAnErrorWhereNoIoWasBefore) {
  const std::string port = address_of(earlier_endpoints(), "control");
  zmq::context_t context(1);
  zmq::socket_t stranger(context, zmq::socket_type::router);
  stranger.bind(port);
  ListenOptions wanted;
  wanted.addresses = {net::parse_listen_address(port).value()};

  EXPECT_FALSE(open_sockets(wanted, {}, [](const std::string&) {}));
}

}  // namespace
}  // namespace kinloop::io
