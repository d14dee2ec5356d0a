// Stops plants with the program itself while something is wrong with a part of it: io stands still or is dead, the
// plant is paused or waits, the console is full. A stop must be latched within two ticks of the plant's loop after it
// reached the supervisor; the count of ticks is the plant's own, so that a busy host does not matter.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/input.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <optional>

#include <kinloop/client/keys.hpp>
#include <kinloop/client/plant.hpp>
#include <kinloop/client/stop.hpp>
#include <zmq.hpp>

#include "rt/policies/emergency_stop.hpp"
#include "services/base/text_file.hpp"
#include "services/net/stop_socket.hpp"
#include "tests/support/process.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/system/running_rig.hpp"

namespace kinloop {
namespace {

using testing::HasSubstr;

constexpr std::uint64_t kMaxTicks = 2;

/// A plant with sockets in the test's folder.
class StopTest : public TemporaryFolder {
 protected:
  void TearDown() override {
    rig_.reset();
    ::unsetenv("KINLOOP_RUNTIME_DIR");  // NOLINT: one thread
    TemporaryFolder::TearDown();
  }

  void start(const std::string& mode, const std::vector<std::string>& more = {}) {
    rig_.emplace(folder_, mode, "watchdog: {timeout: 20 s}\n" + more_of_rig_, more);
  }
  rt::PlantMemory& memory() { return rig_->memory(); }
  pid_t child(const std::string& name) const { return rig_->child(name); }

  /// By `kinloop ctl stop`, as people do it; it says at which step.
  void expect_stop_by_ctl() {
    Process ctl({"ctl", "stop"});
    const std::string out = ctl.read_output();
    EXPECT_EQ(ctl.wait(), 0) << ctl.read_errors();
    EXPECT_THAT(out, HasSubstr("own: all actuators are made safe at step "));
    expect_latched();
  }
  /// By the socket alone.
  void expect_stop_by_socket() {
    client::Options options;
    options.timeout = kPatience;
    const auto stopped = client::request_stop("own", options);
    ASSERT_TRUE(stopped) << stopped.error().message;
    EXPECT_EQ(stopped->rig, "own");
    EXPECT_LE(stopped->receipt.tick, stopped->receipt.asked_tick + kMaxTicks);
    expect_latched();
  }
  /// By a client that was connected before.
  void expect_stop_by(client::Plant& plant) {
    const auto effect = plant.emergency_stop();
    ASSERT_TRUE(effect) << effect.error().message;
    EXPECT_GT(effect->tick, 0U) << "the stop socket confirmed it";
    expect_latched();
  }
  static client::Plant connected(const std::string& name, client::Keys keys = {}) {
    client::Options options;
    options.timeout = kPatience;
    options.keys = std::move(keys);
    auto plant = client::Plant::connect(name, options);
    EXPECT_TRUE(plant) << (plant ? "" : plant.error().message);
    return std::move(plant).value();
  }
  /// Of the plant's endpoint of that name whose address begins so.
  static std::string address_of(const client::Plant& plant, const std::string& socket, const std::string& scheme) {
    for (const v1::Endpoint& endpoint : plant.description().endpoints()) {
      if (endpoint.socket() == socket && endpoint.address().starts_with(scheme)) return endpoint.address();
    }
    return {};
  }
  void expect_latched() {
    const rt::StopReceipt& receipt = memory().stop_receipts[kSupervisor];
    const rt::StopWord& word = memory().stops[kSupervisor];
    ASSERT_TRUE(comes([&] { return word.count.load() > 0 && receipt.count.load() == word.count.load(); }));
    // Who asked may be interrupted between the word and its tick.
    EXPECT_TRUE(comes([&] { return word.asked_tick.load() != 0; }));
    EXPECT_LE(receipt.tick.load(), word.asked_tick.load() + kMaxTicks);
    if (!reads_pose_) return;
    EXPECT_TRUE(comes([&] { return is_stopped(); }));
  }
  /// For tests in which io does not read what the plant shows.
  bool is_stopped() {
    const auto pose = memory().pose.take();
    return pose.value != nullptr && pose.value->stopped == 1;
  }

  int end() { return rig_->end(); }

  static constexpr std::size_t kSupervisor = static_cast<std::size_t>(rt::StopWriter::kSupervisor);
  std::optional<RunningRig> rig_;
  std::string more_of_rig_;
  bool reads_pose_ = false;  // where io does not
};

TEST_F(StopTest, IsLatchedInAnOrdinaryRun) {
  start("real_time");

  expect_stop_by_socket();
  EXPECT_EQ(end(), 0);
}

TEST_F(StopTest, IsLatchedWhileIoStandsStill) {
  start("real_time");
  const pid_t io = child("kinloop-io");
  ASSERT_EQ(::kill(io, SIGSTOP), 0);
  reads_pose_ = true;

  expect_stop_by_ctl();
  ::kill(io, SIGCONT);
}

TEST_F(StopTest, IsLatchedWhileIoIsDead) {
  start("real_time");
  ASSERT_EQ(::kill(child("kinloop-io"), SIGKILL), 0);

  expect_stop_by_ctl();
}

TEST_F(StopTest, AClientIsConfirmedWhileIoStandsStill) {
  start("real_time");
  client::Plant plant = connected("own");
  const pid_t io = child("kinloop-io");
  ASSERT_EQ(::kill(io, SIGSTOP), 0);

  expect_stop_by(plant);
  ::kill(io, SIGCONT);
}

TEST_F(StopTest, AClientIsConfirmedThroughIoWhileTheSupervisorStandsStill) {
  start("real_time");
  client::Plant plant = connected("own");
  ASSERT_EQ(::kill(rig_->process().pid(), SIGSTOP), 0);

  const auto effect = plant.emergency_stop();

  rig_->process().send(SIGCONT);
  ASSERT_TRUE(effect) << effect.error().message;
  EXPECT_GT(effect->step, 0U);
  const rt::StopReceipt& receipt = memory().stop_receipts[static_cast<std::size_t>(rt::StopWriter::kIo)];
  EXPECT_GE(receipt.count.load(), 1U);
  EXPECT_GT(effect->tick, 0U) << "as it stands in the plant's memory";
  EXPECT_LE(effect->tick, receipt.tick.load());
}

TEST_F(StopTest, IoHasAStopSocketOfItsOwnForASupervisorThatStandsStill) {
  start("real_time");
  ASSERT_EQ(::kill(rig_->process().pid(), SIGSTOP), 0);

  client::Options options;
  options.timeout = kPatience;
  const auto stopped = client::request_stop("own", options);  // not through control

  rig_->process().send(SIGCONT);
  ASSERT_TRUE(stopped) << stopped.error().message;
  const rt::StopReceipt& receipt = memory().stop_receipts[static_cast<std::size_t>(rt::StopWriter::kIo)];
  EXPECT_EQ(receipt.count.load(), 1U);
  EXPECT_LE(stopped->receipt.tick, stopped->receipt.asked_tick + kMaxTicks);
}

TEST_F(StopTest, TheNextIoHasAStopSocketToo) {
  start("real_time");
  ASSERT_EQ(::kill(child("kinloop-io"), SIGKILL), 0);
  ASSERT_TRUE(comes([&] { return memory().io_ready.load() == 2; }));
  ASSERT_EQ(::kill(rig_->process().pid(), SIGSTOP), 0);

  client::Options options;
  options.timeout = kPatience;
  const auto stopped = client::request_stop("own", options);

  rig_->process().send(SIGCONT);
  EXPECT_TRUE(stopped) << stopped.error().message;
}

TEST_F(StopTest, AClientOverTcpIsConfirmedWhileIoStandsStill) {
  start("real_time", {"--listen", "tcp://127.0.0.1:0"});
  client::Plant plant = connected(address_of(connected("own"), "control", "tcp://"));
  const pid_t io = child("kinloop-io");
  ASSERT_EQ(::kill(io, SIGSTOP), 0);

  expect_stop_by(plant);
  ::kill(io, SIGCONT);
}

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
  const std::string stop = address_of(local, "stop", "tcp://");
  client::Plant looker = connected(address_of(local, "control", "tcp://"), keys_of("looker"));
  const pid_t io = child("kinloop-io");
  ASSERT_EQ(::kill(io, SIGSTOP), 0);

  client::Options stranger;
  stranger.timeout = std::chrono::milliseconds(500);
  stranger.keys = keys_of("stranger");
  const std::size_t colon = stop.rfind(':');
  const std::string beside = stop.substr(0, colon + 1) + std::to_string(std::stoi(stop.substr(colon + 1)) - 4);
  EXPECT_FALSE(client::request_stop(beside, stranger));
  EXPECT_EQ(memory().stops[kSupervisor].count.load(), 0U);

  expect_stop_by(looker);
  ::kill(io, SIGCONT);
}

TEST_F(StopTest, IsLatchedWhereAllRunsInOneProcess) {
  start("real_time", {"--single-process"});
  client::Plant plant = connected("own");

  const auto effect = plant.emergency_stop();  // whichever way is first

  ASSERT_TRUE(effect) << effect.error().message;
  expect_latched();
}

TEST_F(StopTest, EveryStopCountsWhateverItsNumber) {
  start("real_time");
  client::Plant plant = connected("own");
  ASSERT_TRUE(plant.emergency_stop());
  ASSERT_TRUE(plant.rearm());
  const std::uint64_t before = memory().stops[static_cast<std::size_t>(rt::StopWriter::kIo)].count.load();

  // The number of another request of the same client, which io would answer from memory were it anything else.
  zmq::context_t context;
  zmq::socket_t socket(context, zmq::socket_type::dealer);
  socket.set(zmq::sockopt::linger, 0);
  socket.connect(address_of(plant, "control", "ipc://"));
  v1::ControlRequest request;
  request.set_version(1);
  request.set_client(7);
  request.set_request_id(1);
  for (int i = 0; i < 3; ++i) {
    if (i == 0) {
      request.mutable_status();
    } else {
      request.mutable_emergency_stop();
    }
    socket.send(zmq::buffer(request.SerializeAsString()));
    zmq::message_t answer;
    ASSERT_TRUE(socket.recv(answer));
    v1::ControlReply reply;
    ASSERT_TRUE(reply.ParseFromArray(answer.data(), static_cast<int>(answer.size())));
    EXPECT_EQ(reply.has_status(), i == 0);
    EXPECT_FALSE(reply.repeated_answer());
  }

  EXPECT_EQ(memory().stops[static_cast<std::size_t>(rt::StopWriter::kIo)].count.load(), before + 2);
}

TEST_F(StopTest, WhoSaidTooMuchStillStops) {
  start("real_time");
  zmq::context_t context;
  zmq::socket_t socket(context, zmq::socket_type::dealer);
  socket.set(zmq::sockopt::linger, -1);
  socket.connect(address_of(connected("own"), "control", "ipc://"));
  v1::ControlRequest request;
  request.set_version(1);
  request.mutable_status();
  const std::string status = request.SerializeAsString();
  for (int i = 0; i < 10000; ++i) socket.send(zmq::buffer(status));  // beyond what one sender may say
  request.mutable_emergency_stop();
  socket.send(zmq::buffer(request.SerializeAsString()));

  const rt::StopReceipt& receipt = memory().stop_receipts[static_cast<std::size_t>(rt::StopWriter::kIo)];
  EXPECT_TRUE(comes([&] { return receipt.count.load() == 1; }));
}

TEST_F(StopTest, IsLatchedWhileThePlantIsPaused) {
  start("real_time", {"--wait"});
  ASSERT_TRUE(comes([&] { return memory().heartbeat.iterations.load() > 10; }));

  expect_stop_by_socket();
}

TEST_F(StopTest, IsLatchedInLockstepWithoutCommands) {
  start("lockstep");
  ASSERT_TRUE(comes([&] { return memory().heartbeat.iterations.load() > 10; }));

  expect_stop_by_socket();
}

TEST_F(StopTest, IsLatchedWhileTheConsoleIsFull) {
  start("real_time");
  const int console =
      ::open(("/proc/" + std::to_string(rig_->process().pid()) + "/fd/2").c_str(), O_WRONLY | O_NONBLOCK);
  ASSERT_GE(console, 0);
  const std::array<char, 4096> line{};
  while (::write(console, line.data(), line.size()) > 0) {
  }
  for (int i = 0; i < 100; ++i)
    rt::ask_stop(memory().stops, rt::StopWriter::kIo, memory().heartbeat.iterations);  // each is an event to tell
  ASSERT_EQ(::kill(child("kinloop-io"), SIGKILL), 0);                                  // and so is that

  expect_stop_by_socket();
  EXPECT_EQ(end(), 0) << "and it ends when it is asked to";
  ::close(console);
}

TEST_F(StopTest, AButtonAtTheHostIsOneWhateverIoDoes) {
  const std::string device = (folder_ / "event0").string();
  ASSERT_EQ(::mkfifo(device.c_str(), 0600), 0);
  const int button = ::open(device.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
  more_of_rig_ = "stop_inputs:\n  - {kind: key, device: " + device + ", key: KEY_STOP, contact: normally_open}\n";
  start("real_time");
  ASSERT_EQ(::kill(child("kinloop-io"), SIGSTOP), 0);
  reads_pose_ = true;
  input_event pressed{};
  pressed.type = EV_KEY;
  pressed.code = KEY_STOP;
  pressed.value = 1;

  ASSERT_EQ(::write(button, &pressed, sizeof(pressed)), static_cast<ssize_t>(sizeof(pressed)));

  const rt::StopReceipt& receipt = memory().stop_receipts[static_cast<std::size_t>(rt::StopWriter::kLocal)];
  EXPECT_TRUE(comes([&] { return receipt.count.load() > 0; }));
  EXPECT_TRUE(comes([&] { return is_stopped(); }));
  ::kill(child("kinloop-io"), SIGCONT);
  ::close(button);
}

TEST_F(StopTest, ARigWhoseButtonIsMissingDoesNotStart) {
  write("own.yaml", "kinloop_rig: 1\nname: own\nmodel: " + std::string(KINLOOP_SOURCE_DIR) +
                        "/configs/models/pendulum.yaml\nrate: 1 kHz\nstop_inputs:\n"
                        "  - {kind: key, device: /dev/input/none, key: KEY_STOP, contact: normally_open}\n");

  Process run({"run", (folder_ / "own.yaml").string(), "--runs", (folder_ / "runs").string(), "--allow-degraded"});
  const std::string errors = run.read_errors();

  EXPECT_EQ(run.wait(), 2);
  EXPECT_THAT(errors, HasSubstr("/dev/input/none, KEY_STOP: cannot be opened: No such file or directory"));
}

TEST_F(StopTest, SignalUser2IsOneWhateverIoDoes) {
  start("real_time");
  const pid_t io = child("kinloop-io");
  ASSERT_EQ(::kill(io, SIGSTOP), 0);

  rig_->process().send(SIGUSR2);

  expect_latched();
  ::kill(io, SIGCONT);
  EXPECT_EQ(end(), 0);
}

TEST_F(StopTest, SignalUser2IsIgnoredByPlantAndIo) {
  start("real_time");

  ASSERT_EQ(::kill(child("kinloop-io"), SIGUSR2), 0);
  ASSERT_EQ(::kill(child("kinloop-plant"), SIGUSR2), 0);

  const std::uint64_t before = memory().heartbeat.iterations.load();
  EXPECT_TRUE(comes([&] { return memory().heartbeat.iterations.load() > before + 20; }));
  EXPECT_EQ(memory().epoch.load(), 1U) << "io was not restarted";
  EXPECT_EQ(end(), 0);
}

TEST_F(StopTest, OnlyItsOwnerReachesTheSocketAndIdleClientsDoNotBlockIt) {
  start("real_time");
  std::filesystem::path socket;
  for (const auto& entry : std::filesystem::directory_iterator(folder_ / "r")) socket = entry.path() / net::kStopSocket;
  EXPECT_EQ(std::filesystem::status(socket).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  std::vector<int> idle;
  for (int i = 0; i < 40; ++i) idle.push_back(net::connect_unix(socket));

  expect_stop_by_socket();
  for (const int one : idle) ::close(one);
}

TEST_F(StopTest, ChildrenInheritNothingAndTheKernelTakesIoFirst) {
  write("secret", "");
  const int secret = ::open((folder_ / "secret").c_str(), O_RDONLY);  // NOLINT: programs that are started inherit it
  ASSERT_GE(secret, 0);
  start("real_time");
  const auto holds_secret = [&](pid_t pid) {
    for (const auto& entry : std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/fd")) {
      std::error_code gone;
      if (std::filesystem::read_symlink(entry.path(), gone) == folder_ / "secret") return true;
    }
    return false;
  };
  const auto score = [](pid_t pid) {
    int adjusted = 0;
    std::ifstream("/proc/" + std::to_string(pid) + "/oom_score_adj") >> adjusted;
    return adjusted;
  };

  EXPECT_TRUE(holds_secret(rig_->process().pid())) << "else this test sees nothing";
  EXPECT_FALSE(holds_secret(child("kinloop-io")));
  EXPECT_FALSE(holds_secret(child("kinloop-plant")));
  EXPECT_GT(score(child("kinloop-io")), score(child("kinloop-plant")));
  EXPECT_GT(score(child("kinloop-io")), score(rig_->process().pid()));
  ::close(secret);
}

TEST_F(StopTest, IoThatIsStuckIsKilledAndStartedAgain) {
  start("real_time");
  ASSERT_EQ(::kill(child("kinloop-io"), SIGSTOP), 0);

  EXPECT_TRUE(comes([&] { return memory().epoch.load() == 2 && memory().io_ready.load() == 2; }));
  expect_stop_by_ctl();
  EXPECT_EQ(end(), 0);
}

TEST_F(StopTest, APlantThatNobodyWatchesMakesItsActuatorsSafe) {
  start("real_time");
  const pid_t io = child("kinloop-io");
  ASSERT_EQ(::kill(rig_->process().pid(), SIGSTOP), 0);
  ASSERT_EQ(::kill(io, SIGSTOP), 0);

  EXPECT_TRUE(comes([&] { return is_stopped(); }));
  ::kill(io, SIGCONT);
  rig_->process().send(SIGCONT);
  EXPECT_EQ(end(), 0);
}

TEST_F(StopTest, StatusFollowsTheHeartbeatNotTheLastMessage) {
  start("real_time");
  const auto says = [](const std::string& state) {
    Process ctl({"ctl", "--json", "status"});
    const std::string out = ctl.read_output();
    return ctl.wait() == 0 && out.find("PLANT_STATE_" + state) != std::string::npos;
  };
  ASSERT_TRUE(comes([&] { return says("RUNNING"); }));
  const pid_t plant = child("kinloop-plant");

  ASSERT_EQ(::kill(plant, SIGSTOP), 0);
  EXPECT_TRUE(comes([&] { return says("DEAD"); }));
  ASSERT_EQ(::kill(plant, SIGCONT), 0);
  EXPECT_TRUE(comes([&] { return says("RUNNING"); }));
}

TEST_F(StopTest, AReArmLiftsItAndTheNextIsLatchedAgain) {
  start("real_time");
  expect_stop_by_ctl();
  Process rearm({"ctl", "rearm"});
  ASSERT_EQ(rearm.wait(), 0) << rearm.read_errors();

  expect_stop_by_socket();
}

}  // namespace
}  // namespace kinloop
