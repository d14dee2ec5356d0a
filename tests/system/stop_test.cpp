// Stops plants with the program itself while something is wrong with a part of it: io stands still or is dead, the
// plant is paused or waits, the console is full. A stop must be latched within two ticks of the plant's loop after it
// reached the supervisor; the count of ticks is the plant's own, so that a busy host does not matter.
#include "tests/system/stop_fixture.hpp"

namespace kinloop {
namespace {

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
  const rt::StopReceipt& receipt = memory().stop_receipts[kIo];
  EXPECT_GE(receipt.count.load(), 1U);
  EXPECT_GT(effect->tick, 0U) << "as it stands in the plant's memory";
  EXPECT_LE(effect->tick, receipt.tick.load());
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
  const std::uint64_t before = memory().stops[kIo].count.load();

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

  EXPECT_EQ(memory().stops[kIo].count.load(), before + 2);
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

  const rt::StopReceipt& receipt = memory().stop_receipts[kIo];
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

TEST_F(StopTest, AReArmLiftsItAndTheNextIsLatchedAgain) {
  start("real_time");
  expect_stop_by_ctl();
  Process rearm({"ctl", "rearm"});
  ASSERT_EQ(rearm.wait(), 0) << rearm.read_errors();

  expect_stop_by_socket();
}

}  // namespace
}  // namespace kinloop
