// Tests sockets that strangers can reach: where they are, who gets in, and what cuts a connection.
#include "services/net/bound_socket.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "services/net/listen_address.hpp"
#include "tests/services/security/key_fixture.hpp"

namespace kinloop::net {
namespace {

namespace fs = std::filesystem;
using security::Caller;
using security::Client;
using security::KeyPair;
using security::Role;
using testing::HasSubstr;
using testing::StartsWith;

class BoundSocketTest : public security::KeyedServer {
 protected:
  std::string ipc(const std::string& name) const { return "ipc://" + (folder_ / name).string(); }
  Result<BoundSocket> bind_router(const std::vector<BindAddress>& addresses) {
    return bind_socket(context_, zmq::socket_type::router, {}, addresses, &server_.secret_key);
  }
  std::string error_of(const std::vector<BindAddress>& addresses) {
    const auto bound = bind_router(addresses);
    return bound ? "" : bound.error().where + ": " + bound.error().what;
  }
};

TEST_F(BoundSocketTest, OneSocketIsOpenInAFolderAndGuardedOnTheNetwork) {
  const KeyPair alice = allow("alice", Role::kObserver);
  start_handler();
  bind({{ipc("control"), Access::kOpen}});

  Client local;
  local.say(ipc("control"), "local");
  const auto from_local = receive();
  Client remote(alice, server_.public_key);
  remote.say(tcp(), "remote");
  const auto from_remote = receive();
  Client intruder;
  intruder.say(tcp(), "intruder");

  ASSERT_TRUE(from_local && from_remote);
  EXPECT_EQ(from_local->caller, (Caller{Role::kAdmin, ""}));
  EXPECT_EQ(from_remote->caller, (Caller{Role::kObserver, "alice"}));
  EXPECT_EQ(intruder.is_let_in(), false);
  EXPECT_FALSE(receive(std::chrono::milliseconds(0)).has_value());
}

TEST_F(BoundSocketTest, TheOrderOfAddressesDoesNotMatter) {
  start_handler();
  auto bound = bind_router({{"tcp://127.0.0.1:*", Access::kCurve}, {ipc("control"), Access::kOpen}});
  ASSERT_TRUE(bound.has_value()) << bound.error().what;

  EXPECT_THAT(bound->endpoints[0], StartsWith("tcp://127.0.0.1:"));
  EXPECT_EQ(bound->endpoints[1], ipc("control"));
  Client local;
  local.say(ipc("control"), "local");
  Client intruder;
  intruder.say(bound->endpoints[0], "intruder");
  EXPECT_EQ(local.is_let_in(), true);
  EXPECT_EQ(intruder.is_let_in(), false);
}

TEST_F(BoundSocketTest, LoopbackWithoutKeysIsOpenToThisHost) {
  auto bound = bind_router({{"tcp://127.0.0.1:*", Access::kOpen}});
  ASSERT_TRUE(bound.has_value());
  socket_ = std::move(bound->socket);

  Client client;
  client.say(bound->endpoints[0], "hello");

  const auto received = receive();
  ASSERT_TRUE(received.has_value());
  EXPECT_EQ(received->caller, (Caller{Role::kAdmin, ""}));
}

TEST_F(BoundSocketTest, FreePortsAreToldAsTheyAre) {
  auto bound = bind_router(
      {{endpoint_of(parse_listen_address("tcp://127.0.0.1:0").value(), Channel::kEvents)}, {"tcp://127.0.0.1:*"}});

  ASSERT_TRUE(bound.has_value());
  EXPECT_NE(bound->endpoints[0], bound->endpoints[1]);
  EXPECT_THAT(bound->endpoints[0], testing::MatchesRegex("tcp://127.0.0.1:[1-9][0-9]*"));
}

TEST_F(BoundSocketTest, IpVersionSixWorksBesideVersionFour) {
  const int probe = ::socket(AF_INET6, SOCK_STREAM, 0);
  if (probe < 0) GTEST_SKIP() << "this host has no IPv6";
  ::close(probe);

  auto bound = bind_router({{"tcp://[::1]:*"}, {"tcp://127.0.0.1:*"}});
  ASSERT_TRUE(bound.has_value()) << bound.error().what;

  EXPECT_THAT(bound->endpoints[0], StartsWith("tcp://[::1]:"));
  EXPECT_THAT(bound->endpoints[1], StartsWith("tcp://127.0.0.1:"));
}

TEST_F(BoundSocketTest, SocketFilesAreTheirOwnersAlone) {
  const mode_t old = ::umask(0);
  const auto bound = bind_router({{ipc("control")}});
  const mode_t after = ::umask(old);

  ASSERT_TRUE(bound.has_value());
  struct stat status {};
  ASSERT_EQ(::stat((folder_ / "control").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0077U, 0u);
  EXPECT_EQ(after, 0u);  // the mask is back
}

TEST_F(BoundSocketTest, TheirFolderIsMadePrivateOrMustBeSo) {
  EXPECT_EQ(error_of({{ipc("new/control")}}), "");
  ASSERT_EQ(::chmod((folder_ / "new").c_str(), 0755), 0);

  EXPECT_THAT(error_of({{ipc("new/control")}}), HasSubstr("others may enter this folder; mend it with: chmod 700"));
}

TEST_F(BoundSocketTest, AMessageThatIsTooLargeCutsTheConnection) {
  constexpr std::int64_t kMax = 1000;
  const KeyPair alice = allow("alice", Role::kOperator);
  start_handler();
  bind({{ipc("control"), Access::kOpen}}, {.message_bytes = kMax});

  for (const bool is_remote : {false, true}) {
    auto client = is_remote ? std::make_unique<Client>(alice, server_.public_key) : std::make_unique<Client>();
    client->say(is_remote ? tcp() : ipc("control"), std::string(500, 'x'));
    const auto small = receive();
    client->send(std::string(100000, 'x'));

    EXPECT_TRUE(small.has_value());
    EXPECT_TRUE(client->is_cut_off());
    EXPECT_FALSE(receive(std::chrono::milliseconds(0)).has_value());
  }
}

TEST_F(BoundSocketTest, AConnectionThatSaysNothingIsCutAfterAWhile) {
  start_handler();
  bind({}, {.handshake = std::chrono::milliseconds(200)});
  zmq::socket_t silent(context_, zmq::socket_type::stream);  // plain TCP
  silent.set(zmq::sockopt::linger, 0);
  silent.set(zmq::sockopt::rcvtimeo, static_cast<int>(security::kPatience.count()));
  silent.connect(tcp());

  // A stream socket hears an empty message when it is connected, the server's greeting, and an empty one at the end.
  int empty = 0;
  zmq::message_t frame;
  while (empty < 2 && silent.recv(frame)) {
    if (!frame.more() && frame.size() == 0) ++empty;
  }

  EXPECT_EQ(empty, 2);
}

TEST_F(BoundSocketTest, ALivingSocketIsNotTakenOver) {
  const auto first = bind_router({{ipc("control")}});
  ASSERT_TRUE(first.has_value());

  EXPECT_EQ(error_of({{ipc("control")}}), ipc("control") + ": another plant listens there");
  EXPECT_TRUE(fs::is_socket(folder_ / "control"));
}

TEST_F(BoundSocketTest, ASocketThatADeadPlantLeftIsReplaced) {
  const int left = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = (folder_ / "control").string();
  std::copy(path.begin(), path.end(), address.sun_path);
  ASSERT_EQ(::bind(left, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  ::close(left);

  EXPECT_EQ(error_of({{ipc("control")}}), "");
}

TEST_F(BoundSocketTest, AnotherFileInItsPlaceIsKept) {
  write("control", "precious");

  EXPECT_EQ(error_of({{ipc("control")}}), ipc("control") + ": there is a file of another kind in its place");
  EXPECT_EQ(fs::file_size(folder_ / "control"), 8u);
}

TEST_F(BoundSocketTest, WhatCannotBeBoundIsNamed) {
  const auto taken = bind_router({{"tcp://127.0.0.1:*"}});
  ASSERT_TRUE(taken.has_value());

  EXPECT_EQ(error_of({{taken->endpoints[0]}}), taken->endpoints[0] + ": cannot be bound: Address already in use");
  EXPECT_THAT(error_of({{"tcp://nosuchif0:5600"}}),
              StartsWith("tcp://nosuchif0:5600: cannot be bound: No such device"));
  EXPECT_THAT(error_of({{"nonsense"}}), StartsWith("nonsense: cannot be bound: "));
  EXPECT_THAT(error_of({{ipc("no/such/control")}}), HasSubstr("cannot be made: No such file or directory"));
}

TEST_F(BoundSocketTest, CurveNeedsAKeyOfThePlant) {
  const std::vector<BindAddress> addresses{{"tcp://127.0.0.1:*", Access::kCurve}};

  const auto bound = bind_socket(context_, zmq::socket_type::router, {}, addresses, nullptr);

  ASSERT_FALSE(bound.has_value());
  EXPECT_THAT(bound.error().what, HasSubstr("the plant has none of its own"));
}

TEST_F(BoundSocketTest, SubscribersNeedKeysToo) {
  const KeyPair alice = allow("alice", Role::kObserver);
  start_handler();
  const std::vector<BindAddress> addresses{{"tcp://127.0.0.1:*", Access::kCurve}};
  auto bound = bind_socket(context_, zmq::socket_type::xpub, {}, addresses, &server_.secret_key);
  ASSERT_TRUE(bound.has_value());
  zmq::context_t elsewhere(1);
  const auto subscribe = [&](zmq::socket_t& socket) {
    socket.set(zmq::sockopt::linger, 0);
    socket.set(zmq::sockopt::subscribe, "");
    socket.connect(bound->endpoints[0]);
  };
  zmq::socket_t stranger(elsewhere, zmq::socket_type::sub);
  zmq::socket_t reader(elsewhere, zmq::socket_type::sub);
  reader.set(zmq::sockopt::curve_serverkey, server_.public_key);
  reader.set(zmq::sockopt::curve_publickey, alice.public_key);
  reader.set(zmq::sockopt::curve_secretkey, alice.secret_key.z85());
  subscribe(stranger);
  subscribe(reader);
  zmq::message_t subscription;
  bound->socket.set(zmq::sockopt::rcvtimeo, static_cast<int>(security::kPatience.count()));
  ASSERT_TRUE(bound->socket.recv(subscription).has_value());

  bound->socket.send(zmq::str_buffer("frame"), zmq::send_flags::none);

  zmq::message_t frame;
  reader.set(zmq::sockopt::rcvtimeo, static_cast<int>(security::kPatience.count()));
  EXPECT_TRUE(reader.recv(frame).has_value());
  EXPECT_FALSE(stranger.recv(frame, zmq::recv_flags::dontwait).has_value());
}

TEST(Context, HasRoomForSoManySocketsAndNoMore) {
  auto context = make_context(2);
  ASSERT_TRUE(context.has_value());
  const std::vector<BindAddress> addresses{{"tcp://127.0.0.1:*"}};
  std::vector<BoundSocket> made;

  for (int i = 0; i < 3; ++i) {
    auto bound = bind_socket(*context, zmq::socket_type::router, {}, addresses, nullptr);
    if (bound) made.push_back(std::move(bound).value());
  }

  EXPECT_EQ(made.size(), 2u);
}

}  // namespace
}  // namespace kinloop::net
