// Stops plants through io's own stop socket and over TCP, while the supervisor or io stands still.
#include <thread>

#include "tests/system/stop_fixture.hpp"

namespace kinloop {
namespace {

TEST_F(StopTest, IoHasAStopSocketOfItsOwnForASupervisorThatStandsStill) {
  start("real_time");
  ASSERT_EQ(::kill(rig_->process().pid(), SIGSTOP), 0);

  const auto stopped = client::request_stop("own", patient());  // not through control

  rig_->process().send(SIGCONT);
  ASSERT_TRUE(stopped) << stopped.error().message;
  const rt::StopReceipt& receipt = memory().stop_receipts[kIo];
  EXPECT_EQ(receipt.count.load(), 1U);
  EXPECT_LE(stopped->receipt.tick, stopped->receipt.asked_tick + kMaxTicks);
}

TEST_F(StopTest, TheNextIoHasAStopSocketToo) {
  start("real_time");
  ASSERT_EQ(::kill(child("kinloop-io"), SIGKILL), 0);
  ASSERT_TRUE(comes([&] { return memory().io_ready.load() == 2; }));
  ASSERT_EQ(::kill(rig_->process().pid(), SIGSTOP), 0);

  const auto stopped = client::request_stop("own", patient());

  rig_->process().send(SIGCONT);
  EXPECT_TRUE(stopped) << stopped.error().message;
}

TEST_F(StopTest, OverTcpIoHasAStopSocketOfItsOwnForASupervisorThatStandsStill) {
  start("real_time", {"--listen", "tcp://127.0.0.1:0"});
  const std::string control = beside(address_of(connected("own"), "stop_io", "tcp://"), 5);
  ASSERT_EQ(::kill(rig_->process().pid(), SIGSTOP), 0);

  const auto stopped = client::request_stop(control, patient());  // not through control

  rig_->process().send(SIGCONT);
  ASSERT_TRUE(stopped) << stopped.error().message;
  EXPECT_EQ(memory().stop_receipts[kIo].count.load(), 1U);
  EXPECT_LE(stopped->receipt.tick, stopped->receipt.asked_tick + kMaxTicks);
}

TEST_F(StopTest, OverTcpTheNextIoHasItsStopSocketAtTheSamePort) {
  start("real_time", {"--listen", "tcp://127.0.0.1:0"});
  client::Plant plant = connected(address_of(connected("own"), "control", "tcp://"));
  ASSERT_EQ(::kill(child("kinloop-io"), SIGKILL), 0);
  ASSERT_TRUE(comes([&] { return memory().io_ready.load() == 2; }));
  ASSERT_EQ(::kill(rig_->process().pid(), SIGSTOP), 0);

  const auto effect = plant.emergency_stop();  // over connections that were made to the io before

  rig_->process().send(SIGCONT);
  ASSERT_TRUE(effect) << effect.error().message;
  EXPECT_GT(effect->tick, 0U);
  EXPECT_EQ(address_of(connected("own"), "stop_io", "tcp://"), address_of(plant, "stop_io", "tcp://"));
}

TEST_F(StopTest, AStopPortOfIoThatIsTakenMeanwhileIsToldAndTriedAgain) {
  start("real_time", {"--listen", "tcp://127.0.0.1:0"});
  const std::string address = address_of(connected("own"), "stop_io", "tcp://");
  ASSERT_EQ(::kill(rig_->process().pid(), SIGSTOP), 0);
  ASSERT_EQ(::kill(child("kinloop-io"), SIGKILL), 0);
  zmq::context_t context;
  std::optional<zmq::socket_t> thief(std::in_place, context, zmq::socket_type::router);
  ASSERT_TRUE(comes([&] {
    try {
      thief->bind(address);
      return true;
    } catch (const zmq::error_t&) {
      return false;
    }
  }));
  rig_->process().send(SIGCONT);
  ASSERT_TRUE(comes([&] { return memory().io_ready.load() == 2; }));

  const auto is_down = [&] {
    const auto status = connected("own").status();
    return status && status->endpoints_down_size() == 1 && status->endpoints_down(0) == address;
  };
  EXPECT_TRUE(comes(is_down));
  thief.reset();
  EXPECT_TRUE(comes([&] { return !is_down(); }));

  EXPECT_TRUE(client::request_stop(beside(address, 5), patient()));
}

/// What one client of ZeroMQ says, byte by byte: greeting, then messages and pings without end, and is cut off. libzmq
/// ends the process where a ping is among messages that wait for their reader.
TEST_F(StopTest, OverTcpAFloodThatIsCutOffEndsNobody) {
  using namespace std::string_literals;
  const std::string greeting = "\xff"s + std::string(8, '\0') + "\x7f\x03\x01NULL"s + std::string(16 + 1 + 31, '\0');
  const std::string ready =
      "\x04\x1c\x05READY\x0bSocket-Type\0\0\0\x06"
      "DEALER"s;
  std::string flood;
  for (int i = 0; i < 200; ++i) {
    for (int j = 0; j < 30; ++j) flood += "\0\x01x"s;
    flood += "\x04\x07\x04PING\0\x0a"s;
  }
  start("real_time", {"--listen", "tcp://127.0.0.1:0"});
  const client::Plant local = connected("own");

  for (const char* socket : {"stop", "stop_io"}) {
    const std::string address = address_of(local, socket, "tcp://");
    for (int i = 0; i < 40; ++i) {
      const Caller caller(address);
      ASSERT_TRUE(caller.say(greeting)) << address;
      caller.hear();
      caller.say(ready);
      for (int j = 0; j <= i % 12; ++j) caller.say(flood);
    }
    EXPECT_TRUE(client::request_stop(beside(address, socket == std::string("stop") ? 4 : 5), patient())) << socket;
  }

  EXPECT_EQ(memory().epoch.load(), 1U) << "io is the first one still";
  EXPECT_EQ(end(), 0);
}

TEST_F(StopTest, AClientOverTcpIsConfirmedWhileIoStandsStill) {
  start("real_time", {"--listen", "tcp://127.0.0.1:0"});
  client::Plant plant = connected(address_of(connected("own"), "control", "tcp://"));
  const pid_t io = child("kinloop-io");
  ASSERT_EQ(::kill(io, SIGSTOP), 0);

  expect_stop_by(plant);
  ::kill(io, SIGCONT);
}

/// At the stop socket of the supervisor while io stands still, and the other way round.
TEST_F(StopTest, OverTcpAKeyOfAnyRoleStopsAndNoOtherDoes) {
  std::filesystem::create_directories(folder_ / "allowed");
  const auto key = [&](const std::string& name, const std::string& role) {
    Process keygen({"keygen", name, "--folder", folder_.string(), "--role", role});
    EXPECT_EQ(keygen.wait(), 0) << keygen.read_errors();
  };
  key("server", "server");
  key("looker", "observer");
  key("stranger", "observer");
  std::filesystem::copy_file(folder_ / "looker.public", folder_ / "allowed" / "looker.public");
  start("real_time", {"--listen", "tcp://127.0.0.1:0", "--keys", (folder_ / "allowed").string(), "--server-key",
                      (folder_ / "server.secret").string()});
  const auto keys_of = [&](const std::string& name) {
    const client::KeyFile own = client::read_key_file(folder_ / (name + ".secret")).value();
    client::Keys keys;
    keys.public_key = own.public_key;
    keys.secret_key = own.secret_key;
    keys.server_key = client::read_key_file(folder_ / "server.public").value().public_key;
    return keys;
  };
  const client::Plant local = connected("own");
  client::Plant looker = connected(address_of(local, "control", "tcp://"), keys_of("looker"));
  client::Options stranger;
  stranger.timeout = std::chrono::milliseconds(500);
  stranger.keys = keys_of("stranger");
  client::Options observer = patient();
  observer.keys = keys_of("looker");
  const pid_t io = child("kinloop-io");

  const std::string io_control = beside(address_of(local, "stop_io", "tcp://"), 5);

  EXPECT_FALSE(client::request_stop(beside(address_of(local, "stop", "tcp://"), 4), stranger));
  EXPECT_FALSE(client::request_stop(io_control, stranger));
  for (const rt::StopWriter writer : {rt::StopWriter::kSupervisor, rt::StopWriter::kIo}) {
    EXPECT_EQ(memory().stops[static_cast<std::size_t>(writer)].count.load(), 0U);
  }

  ASSERT_EQ(::kill(rig_->process().pid(), SIGSTOP), 0);
  EXPECT_TRUE(client::request_stop(io_control, observer));
  EXPECT_GT(memory().stops[kIo].count.load(), 0U);
  rig_->process().send(SIGCONT);

  ASSERT_EQ(::kill(io, SIGSTOP), 0);
  expect_stop_by(looker);
  ::kill(io, SIGCONT);
}

TEST_F(StopTest, AReArmThatWaitedForAnIoThatStoodStillLiftsNoStopThatCameMeanwhile) {
  start("real_time");
  client::Plant plant = connected("own");
  expect_stop_by(plant);
  const pid_t io = child("kinloop-io");
  ASSERT_EQ(::kill(io, SIGSTOP), 0);
  const rt::StopReceipt& receipt = memory().stop_receipts[static_cast<std::size_t>(rt::StopWriter::kSupervisor)];
  const std::uint64_t before = receipt.count.load();
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(1500);

  std::optional<client::Result<client::Effect>> rearmed;
  std::thread asker([&] { rearmed.emplace(plant.rearm({})); });
  EXPECT_TRUE(comes([&] { return std::chrono::steady_clock::now() > until; }));  // so long it is held up
  rig_->process().send(SIGUSR2);
  EXPECT_TRUE(comes([&] { return receipt.count.load() > before; }));
  ASSERT_EQ(::kill(io, SIGCONT), 0);
  asker.join();

  ASSERT_TRUE(rearmed);
  ASSERT_FALSE(*rearmed);
  EXPECT_EQ(rearmed->error().code, v1::ERROR_CODE_NOT_NOW) << rearmed->error().message;
  EXPECT_TRUE(comes([&] { return plant.rearm({}).has_value(); })) << "asked for afterwards";
}

/// The first of as many ports in a row that nobody has now.
std::uint16_t free_ports(int count) {
  for (std::uint16_t first = 21000;; first = static_cast<std::uint16_t>(first + count)) {
    bool are_free = true;
    for (int i = 0; i < count && are_free; ++i) {
      sockaddr_in place{};
      place.sin_family = AF_INET;
      place.sin_port = htons(static_cast<std::uint16_t>(first + i));
      place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
      const int one = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
      are_free = ::bind(one, reinterpret_cast<const sockaddr*>(&place), sizeof(place)) == 0;
      ::close(one);
    }
    if (are_free) return first;
  }
}

/// As people do it, who know the address and have a key, and nothing else: who hangs cannot be asked where sockets are.
TEST_F(StopTest, OverTcpAndKeysTheVerbStopsWhileSupervisorOrIoStandsStill) {
  std::filesystem::create_directories(folder_ / "allowed");
  for (const auto& [name, role] : {std::pair{"server", "server"}, std::pair{"looker", "observer"}}) {
    Process keygen({"keygen", name, "--folder", folder_.string(), "--role", role});
    ASSERT_EQ(keygen.wait(), 0) << keygen.read_errors();
  }
  std::filesystem::copy_file(folder_ / "looker.public", folder_ / "allowed" / "looker.public");
  constexpr int kPorts = 6;
  const std::string address = "tcp://127.0.0.1:" + std::to_string(free_ports(kPorts));
  start("real_time", {"--listen", address, "--keys", (folder_ / "allowed").string(), "--server-key",
                      (folder_ / "server.secret").string()});
  const std::vector<std::string> stop = {"ctl",          "-p",
                                         address,        "stop",
                                         "--timeout",    "20 s",
                                         "--key",        (folder_ / "looker.secret").string(),
                                         "--server-key", (folder_ / "server.public").string()};

  for (const auto& [held, writer] : {std::pair{rig_->process().pid(), rt::StopWriter::kIo},
                                     std::pair{child("kinloop-io"), rt::StopWriter::kSupervisor}}) {
    const rt::StopReceipt& receipt = memory().stop_receipts[static_cast<std::size_t>(writer)];
    const std::uint64_t before = receipt.count.load();
    ASSERT_EQ(::kill(held, SIGSTOP), 0);
    Process ctl(stop);
    EXPECT_THAT(ctl.read_line(), testing::HasSubstr("all actuators are made safe at step "));
    EXPECT_GT(receipt.count.load(), before);
    ASSERT_EQ(::kill(held, SIGCONT), 0);
    EXPECT_EQ(ctl.wait(), 0) << ctl.read_errors();
  }
}

}  // namespace
}  // namespace kinloop
