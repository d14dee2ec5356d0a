// Tests lanes between processes: clients that are killed, an io that is, and what a record knows of commands by a lane.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include <kinloop/client/plant.hpp>

#include <array>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "services/record/record_reader.hpp"
#include "tests/support/process.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/system/running_rig.hpp"

namespace kinloop {
namespace {

using namespace std::chrono_literals;
using client::Plant;
using testing::HasSubstr;

class LaneTest : public TemporaryFolder {
 protected:
  void start(const std::string& mode, const std::vector<std::string>& arguments = {}) {
    rig_.emplace(folder_, mode, "", arguments);
  }
  static client::Options patient() {
    client::Options options;
    options.timeout = 20s;
    return options;
  }

  std::optional<RunningRig> rig_;
};

/// Commands and listens until it is killed: first of all it says that it does, by a byte.
[[noreturn]] void command_until_killed(int told) {
  auto plant = Plant::connect("own");
  while (!plant) plant = Plant::connect("own");
  while (!plant->acquire({}, Plant::Seconds(0.05))) std::this_thread::sleep_for(1ms);
  const char byte = plant->uses_shared_memory() ? 'y' : 'n';
  (void)::write(told, &byte, 1);
  for (int i = 0;; ++i) {
    static_cast<void>(plant->send({0.1 * (i % 10)}));
    static_cast<void>(plant->recv(2ms));
  }
}

std::size_t descriptors_of(pid_t process) {
  const std::filesystem::directory_iterator all("/proc/" + std::to_string(process) + "/fd");
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

TEST_F(LaneTest, AClientThatIsKilledAtAnyInstructionHarmsNobodyAndAnotherTakesOver) {
  constexpr int kKills = 25;
  start("real_time");
  const pid_t io = rig_->child("kinloop-io");
  ASSERT_GT(io, 0);
  const std::size_t descriptors = descriptors_of(io);
  std::mt19937 random(11);

  for (int i = 0; i < kKills; ++i) {
    std::array<int, 2> told{};
    ASSERT_EQ(::pipe(told.data()), 0);
    const pid_t client = ::fork();
    if (client == 0) command_until_killed(told[1]);
    ::close(told[1]);
    char byte = 0;
    ASSERT_EQ(::read(told[0], &byte, 1), 1);
    EXPECT_EQ(byte, 'y') << "it commands by a lane";
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 5'000));
    ::kill(client, SIGKILL);
    ::waitpid(client, nullptr, 0);
    ::close(told[0]);
  }

  auto plant = Plant::connect("own", patient());
  ASSERT_TRUE(plant) << plant.error().message;
  ASSERT_TRUE(comes([&] { return plant->acquire().has_value(); }));
  EXPECT_TRUE(plant->uses_shared_memory());
  const v1::SensorFrame* const frame = plant->recv(20s);
  ASSERT_NE(frame, nullptr);
  const std::uint64_t step = frame->step();
  const auto number = plant->send({0.5});
  ASSERT_TRUE(number);
  EXPECT_TRUE(comes([&] {
    const v1::SensorFrame* const next = plant->recv(1s);
    return next != nullptr && next->command_sequence() == *number && next->step() > step;
  }));
  const auto status = plant->status();
  ASSERT_TRUE(status);
  EXPECT_EQ(rig_->child("kinloop-io"), io) << "io is the one that began";
  EXPECT_TRUE(comes([&] { return descriptors_of(io) < descriptors + 12; })) << "what they had is given back";
  EXPECT_EQ(status->commands_refused(), 0) << "no value was torn";
}

TEST_F(LaneTest, WhereIoDiesTheSocketsGoOnAndALeaseThatIsTakenAgainHasALaneAgain) {
  start("real_time");
  client::Options options = patient();
  options.when_lease_is_lost = client::LostLease::kAcquireAgain;
  auto plant = Plant::connect("own", options);
  ASSERT_TRUE(plant) << plant.error().message;
  ASSERT_TRUE(plant->acquire());
  ASSERT_TRUE(plant->uses_shared_memory());
  ASSERT_NE(plant->recv(20s), nullptr);

  const pid_t io = rig_->child("kinloop-io");
  ASSERT_GT(io, 0);
  ::kill(io, SIGKILL);

  EXPECT_TRUE(comes([&] {
    const auto sent = plant->send({0.5});
    const v1::SensorFrame* const frame = plant->recv(100ms);
    return sent && frame != nullptr && plant->counters().leases_lost > 0 && frame->command_sequence() > 1;
  }));
  EXPECT_GT(plant->counters().leases_lost, 0U);
  EXPECT_TRUE(plant->uses_shared_memory());
}

TEST_F(LaneTest, ARecordOfCommandsByALaneReplaysAndHasThemAll) {
  constexpr int kSteps = 200;
  const std::string record = (folder_ / "lane.mcap").string();
  start("lockstep", {"--record", record});
  {
    auto plant = Plant::connect("own", patient());
    ASSERT_TRUE(plant) << plant.error().message;
    ASSERT_TRUE(plant->acquire());
    ASSERT_TRUE(plant->uses_shared_memory());
    for (int i = 0; i < kSteps; ++i) ASSERT_TRUE(plant->step({0.01 * i}));
    ASSERT_TRUE(plant->shutdown());
  }
  ASSERT_EQ(rig_->wait(), 0);

  Process replay({"replay", record});
  EXPECT_THAT(replay.read_output(), HasSubstr("all 200 steps"));
  EXPECT_EQ(replay.wait(), 0) << replay.read_errors();
  auto reader = record::RecordReader::open(record);
  ASSERT_TRUE(reader);
  reader->want({record::RecordChannel::kCommands});
  std::vector<double> values;
  for (auto item = reader->next(); item && *item != nullptr; item = reader->next()) {
    if (const auto* command = std::get_if<const v1::ActuatorFrame*>(&(*item)->message)) {
      values.push_back((*command)->value(0));
    }
  }
  ASSERT_EQ(values.size(), std::size_t{kSteps});
  for (int i = 0; i < kSteps; ++i) EXPECT_EQ(values[static_cast<std::size_t>(i)], 0.01 * i);
}

TEST_F(LaneTest, DescribeSaysWhatFramesTravelBy) {
  start("real_time");
  Process shared({"ctl", "describe"});
  const std::string text = shared.read_output();
  EXPECT_EQ(shared.wait(), 0);
  Process sockets({"ctl", "--transport", "sockets", "describe"});
  const std::string other = sockets.read_output();
  EXPECT_EQ(sockets.wait(), 0) << sockets.read_errors();

  EXPECT_THAT(text, HasSubstr("transport: shm"));
  EXPECT_THAT(text, HasSubstr("/lane"));
  EXPECT_THAT(other, HasSubstr("transport: sockets"));
}

}  // namespace
}  // namespace kinloop
