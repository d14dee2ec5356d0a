// Stops plants by buttons and signals at the host; who may reach the stop socket, and who is told when parts are
// silent.
#include "tests/support/unix_socket.hpp"
#include "tests/system/stop_fixture.hpp"

namespace kinloop {
namespace {

using testing::HasSubstr;

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
  for (int i = 0; i < 40; ++i) idle.push_back(test::connect_unix(socket));

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

}  // namespace
}  // namespace kinloop
