// Tests lanes: a plant and its io in this process, clients of the library and some that write what they like.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include <kinloop/client/lane.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "services/io/description.hpp"
#include "services/io/lane_set.hpp"
#include "tests/services/io/embedded_plant.hpp"
#include "tests/support/allocation_count.hpp"
#include "tests/support/private_memory.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/unix_socket.hpp"

namespace kinloop::io {
namespace {

using namespace std::chrono_literals;
namespace lane = client::lane;

ListenOptions listening_in(const std::filesystem::path& folder) {
  ListenOptions options;
  options.addresses.push_back(net::listen_in(folder).value());
  return options;
}

/// What a client of no library holds: the connection and the memory that it may write.
class BareLane {
 public:
  explicit BareLane(const std::filesystem::path& socket) : connection_(test::connect_unix(socket)) {}
  ~BareLane() {
    if (commands_ != nullptr) ::munmap(commands_, sizeof(lane::CommandMemory));
    for (const int descriptor : {connection_, files_[0], files_[1]}) {
      if (descriptor >= 0) ::close(descriptor);
    }
  }
  BareLane(const BareLane&) = delete;
  BareLane& operator=(const BareLane&) = delete;

  /// Nothing where it was not answered.
  std::optional<lane::Verdict> ask(const lane::Hello& hello) {
    if (::send(connection_, &hello, sizeof hello, MSG_NOSIGNAL) < 0) return std::nullopt;
    lane::Welcome welcome;
    iovec bytes{&welcome, sizeof welcome};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof files_)> control{};
    msghdr message{};
    message.msg_iov = &bytes;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    if (::recvmsg(connection_, &message, 0) != static_cast<ssize_t>(sizeof welcome)) return std::nullopt;
    if (const cmsghdr* head = CMSG_FIRSTHDR(&message); head != nullptr) {
      std::memcpy(files_.data(), CMSG_DATA(head), sizeof files_);
      void* const data = ::mmap(nullptr, sizeof(lane::CommandMemory), PROT_READ | PROT_WRITE, MAP_SHARED, files_[0], 0);
      if (data != MAP_FAILED) commands_ = static_cast<lane::CommandMemory*>(data);
    }
    return welcome.verdict;
  }
  lane::CommandMemory& memory() { return *commands_; }
  int commands_file() const { return files_[0]; }
  int frames_file() const { return files_[1]; }
  void wake() const {
    const char byte = 0;
    (void)::send(connection_, &byte, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
  }
  bool is_open() const {
    char byte = 0;
    return ::recv(connection_, &byte, 1, MSG_DONTWAIT | MSG_PEEK) != 0;
  }
  /// By the other side, soon.
  bool is_closed() const {
    pollfd wait{connection_, POLLIN, 0};
    return ::poll(&wait, 1, 20'000) == 1 && !is_open();
  }

 private:
  int connection_;
  std::array<int, 2> files_ = {-1, -1};
  lane::CommandMemory* commands_ = nullptr;
};

class LaneTest : public TemporaryFolder {
 protected:
  void SetUp() override {
    TemporaryFolder::SetUp();
    std::filesystem::create_directory(folder_ / "c");
    std::filesystem::permissions(folder_ / "c", std::filesystem::perms::owner_all);
    embedded_.emplace(test::rig_path("pendulum"), folder_, listening_in(folder_ / "c"), folder_ / "c");
  }
  void TearDown() override {
    embedded_.reset();
    TemporaryFolder::TearDown();
  }
  client::Plant connected(client::Transport transport) {
    client::Options options;
    options.timeout = 20s;
    options.transport = transport;
    return std::move(client::Plant::connect("ipc://" + (folder_ / "c/control").string(), options)).value();
  }
  std::filesystem::path socket() const { return folder_ / "c" / lane::kEndpoint; }

  std::optional<EmbeddedPlant> embedded_;
};
struct Motion {
  std::vector<std::uint64_t> hashes;
  bool is_shared = false;
};

Motion controlled(client::Plant& plant, int steps) {
  Motion motion;
  EXPECT_TRUE(plant.acquire({}, 60s));
  motion.is_shared = plant.uses_shared_memory();
  EXPECT_TRUE(plant.reset());
  double angle = 0.0;
  for (int i = 0; i < steps; ++i) {
    const auto frame = plant.step({std::sin(0.01 * i) - 3.0 * angle});
    if (!frame) {
      ADD_FAILURE() << frame.error().message;
      break;
    }
    angle = (*frame)->value(0);
    motion.hashes.push_back((*frame)->state_hash());
  }
  EXPECT_TRUE(plant.release());
  return motion;
}

TEST_F(LaneTest, AControlledRunInLockstepIsThatOfTheSockets) {
  constexpr int kSteps = 500;
  client::Plant by_sockets = connected(client::Transport::kSockets);
  client::Plant by_lane = connected(client::Transport::kAutomatic);

  const Motion sockets = controlled(by_sockets, kSteps);
  const Motion shared = controlled(by_lane, kSteps);

  EXPECT_FALSE(sockets.is_shared);
  EXPECT_TRUE(shared.is_shared);
  ASSERT_EQ(shared.hashes.size(), std::size_t{kSteps});
  EXPECT_EQ(shared.hashes, sockets.hashes);
  EXPECT_NE(shared.hashes.front(), shared.hashes.back());
}

TEST_F(LaneTest, FramesComeByItWholeAndEachInItsTurn) {
  client::Plant plant = connected(client::Transport::kAutomatic);
  ASSERT_TRUE(plant.acquire({}, 60s));
  ASSERT_TRUE(plant.uses_shared_memory());
  static_cast<void>(plant.recv(0ms));  // subscribes

  std::vector<std::string> answered;
  for (int i = 0; i < 300; ++i) {
    const auto frame = plant.step({0.1 * (i % 7)});
    ASSERT_TRUE(frame) << frame.error().message;
    answered.push_back((*frame)->SerializeAsString());
  }

  for (const std::string& one : answered) {
    const v1::SensorFrame* const frame = plant.recv(20s, client::Which::kNext);
    ASSERT_NE(frame, nullptr);
    EXPECT_EQ(frame->SerializeAsString(), one);
  }
  EXPECT_EQ(plant.recv(0ms), nullptr);
  EXPECT_EQ(plant.counters().frames_lost, 0U);
}

TEST_F(LaneTest, ASlowReaderIsToldHowManyFramesItLost) {
  client::Plant plant = connected(client::Transport::kAutomatic);
  ASSERT_TRUE(plant.acquire({}, 60s));
  static_cast<void>(plant.recv(0ms));
  constexpr std::uint64_t kSteps = lane::kFrameSlots + 200;
  for (std::uint64_t i = 0; i < kSteps; ++i) ASSERT_TRUE(plant.step({0.0}));

  std::uint64_t seen = 0;
  std::uint64_t first = 0;
  while (const v1::SensorFrame* const frame = plant.recv(0ms, client::Which::kNext)) {
    if (seen++ == 0) first = frame->step();
  }

  EXPECT_GT(seen, 100U);
  EXPECT_EQ(first + seen - 1, kSteps) << "none is missing behind the first";
}

TEST_F(LaneTest, RatesAreThoseOfTheSockets) {
  client::Plant plant = connected(client::Transport::kAutomatic);
  ASSERT_TRUE(plant.subscribe(10.0));
  ASSERT_TRUE(plant.acquire({}, 60s));
  const double rate_hz = plant.description().frame_rate_hz();
  const auto every = static_cast<std::uint64_t>(rate_hz / 10.0 + 0.5);

  for (std::uint64_t i = 0; i < 3 * every; ++i) ASSERT_TRUE(plant.step({0.0}));

  for (std::uint64_t i = 1; i <= 3; ++i) {
    const v1::SensorFrame* const frame = plant.recv(20s, client::Which::kNext);
    ASSERT_NE(frame, nullptr);
    EXPECT_EQ(frame->sequence(), i * every);
  }
  EXPECT_EQ(plant.recv(0ms, client::Which::kNext), nullptr);
}

TEST_F(LaneTest, RefusalsComeByItWithTheirWords) {
  client::Plant plant = connected(client::Transport::kAutomatic);
  const auto lease = plant.acquire({}, 60s);
  ASSERT_TRUE(lease);
  ASSERT_TRUE(plant.step({0.0}));
  BareLane other(socket());
  client::Plant thief = connected(client::Transport::kSockets);
  v1::ControlRequest release;
  release.mutable_release()->set_lease(lease->id);
  ASSERT_TRUE(thief.request(std::move(release)));

  const auto refused = plant.step({0.0});

  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, v1::ERROR_CODE_NO_LEASE) << refused.error().message;
  EXPECT_NE(refused.error().message.find("acquire one"), std::string::npos) << refused.error().message;
  EXPECT_EQ(refused.error().field, "lease");
}

TEST_F(LaneTest, OfALeaseThatIsLostItCommandsNoMore) {
  client::Plant first = connected(client::Transport::kAutomatic);
  const auto lease = first.acquire({}, client::Plant::Seconds(0.05));
  ASSERT_TRUE(lease);
  ASSERT_TRUE(first.uses_shared_memory());
  client::Plant second = connected(client::Transport::kAutomatic);
  for (int i = 0; i < 400 && !second.acquire({}, 60s); ++i) std::this_thread::sleep_for(5ms);
  ASSERT_NE(second.lease().id, 0U);
  const auto before = second.step({0.0});
  ASSERT_TRUE(before);
  const std::uint64_t step = (*before)->step();

  const auto late = first.step({5.0});

  EXPECT_FALSE(late);
  EXPECT_EQ(late ? v1::ERROR_CODE_UNSPECIFIED : late.error().code, v1::ERROR_CODE_NO_LEASE);
  const auto after = second.step({0.0});
  ASSERT_TRUE(after);
  EXPECT_EQ((*after)->step(), step + 1) << "the lost lease released no step";
  EXPECT_TRUE(second.uses_shared_memory());
}

TEST_F(LaneTest, OneIsGivenToALeaseThatThereIsAndThatHasNone) {
  client::Plant plant = connected(client::Transport::kSockets);
  const auto lease = plant.acquire({}, 60s);
  ASSERT_TRUE(lease);
  const std::uint64_t schema = plant.description().schema_hash();

  EXPECT_EQ(BareLane(socket()).ask({lane::kLayout + 1, schema, lease->id}), lane::Verdict::kOtherLayout);
  EXPECT_EQ(BareLane(socket()).ask({lane::kLayout, schema, lease->id + 1}), lane::Verdict::kNoLease);
  EXPECT_EQ(BareLane(socket()).ask({lane::kLayout, schema + 1, lease->id}), lane::Verdict::kNoLease);
  BareLane mine(socket());
  EXPECT_EQ(mine.ask({lane::kLayout, schema, lease->id}), lane::Verdict::kGiven);
  EXPECT_EQ(BareLane(socket()).ask({lane::kLayout, schema, lease->id}), lane::Verdict::kTaken);
}

TEST_F(LaneTest, WhatTheClientMayOnlyReadItCannotWriteAndNeitherFileCanChangeItsSize) {
  client::Plant plant = connected(client::Transport::kSockets);
  const auto lease = plant.acquire({}, 60s);
  ASSERT_TRUE(lease);
  BareLane mine(socket());
  ASSERT_EQ(mine.ask({lane::kLayout, plant.description().schema_hash(), lease->id}), lane::Verdict::kGiven);

  EXPECT_EQ(::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, mine.frames_file(), 0), MAP_FAILED);
  const std::string again = "/proc/self/fd/" + std::to_string(mine.frames_file());
  const int writable = ::open(again.c_str(), O_RDWR | O_CLOEXEC);
  if (writable >= 0) {
    EXPECT_EQ(::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, writable, 0), MAP_FAILED);
    EXPECT_LT(::pwrite(writable, "x", 1, 0), 0);
    ::close(writable);
  }
  EXPECT_NE(::ftruncate(mine.commands_file(), 0), 0);
  EXPECT_NE(::ftruncate(mine.commands_file(), 1 << 20), 0);
  EXPECT_NE(::ftruncate(mine.frames_file(), 0), 0);
}

/// Every byte that a client may write, while the plant runs on what others command.
TEST_F(LaneTest, GarbageInAClientsMemoryMovesNothingAndIsTakenAway) {
  constexpr std::array<std::uint64_t, 8> kWords = {
      0, 1, UINT64_MAX, 64, 129, 0x7ff0000000000000, 0x7ff8000000000001, 1U << 31U};
  client::Plant plant = connected(client::Transport::kSockets);
  std::mt19937_64 random(7);
  std::uint64_t strikes = 0;
  int taken_away = 0;
  ASSERT_TRUE(plant.acquire({}, 60s));
  const auto begin = plant.step({0.0});
  ASSERT_TRUE(begin);
  std::uint64_t step = (*begin)->step();
  for (int round = 0; round < 20; ++round) {
    BareLane mad(socket());
    ASSERT_EQ(mad.ask({lane::kLayout, plant.description().schema_hash(), plant.lease().id}), lane::Verdict::kGiven);
    auto* const words = reinterpret_cast<std::atomic<std::uint64_t>*>(&mad.memory());
    constexpr std::size_t kCount = sizeof(lane::CommandMemory) / sizeof(std::uint64_t);
    const auto until = std::chrono::steady_clock::now() + 20s;
    while (mad.is_open() && std::chrono::steady_clock::now() < until) {
      for (int i = 0; i < 200; ++i) {
        words[random() % kCount].store(random() % 2 == 0 ? random() : kWords[random() % kWords.size()]);
      }
      strikes += 200;
      // Marks and indices most, so that what stands there is looked at; the longest way to a lane's end is the valid
      // one.
      mad.memory().tail.store(random() % 2 == 0 ? random() : random() % 200);
      mad.memory().sleeps.store(static_cast<std::uint32_t>(random()));
      mad.memory().every.store(static_cast<std::uint32_t>(random() % 3));
      mad.wake();
      const auto frame = plant.step({0.5});
      ASSERT_TRUE(frame) << frame.error().message;
      ASSERT_EQ((*frame)->step(), ++step) << "garbage released a step";
      ASSERT_TRUE(std::isfinite((*frame)->value(0)));
    }
    taken_away += mad.is_open() ? 0 : 1;
  }

  EXPECT_EQ(taken_away, 20);
  RecordProperty("strikes", std::to_string(strikes));
}

/// Whole, with its checksum: what a command says is judged as that of a socket.
TEST_F(LaneTest, ValuesThatAreNoNumbersAreRefusedByThePlantAsOthersAre) {
  client::Plant plant = connected(client::Transport::kAutomatic);
  ASSERT_TRUE(plant.acquire({}, 60s));
  ASSERT_TRUE(plant.uses_shared_memory());

  for (const double value : {std::numeric_limits<double>::quiet_NaN(), 1e300}) {
    const auto frame = plant.step({value});
    ASSERT_TRUE(frame) << frame.error().message;
    EXPECT_TRUE(std::isfinite((*frame)->value(0)));
  }
  const auto status = plant.status();
  ASSERT_TRUE(status);
  EXPECT_EQ(status->commands_refused(), 2);
  EXPECT_FALSE(plant.step({1.0, 2.0}));
}

TEST_F(LaneTest, AnotherUserIsRefused) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can be another user";
  client::Plant plant = connected(client::Transport::kSockets);
  const auto lease = plant.acquire({}, 60s);
  ASSERT_TRUE(lease);
  // What the rights of folder and socket keep out already.
  for (const auto& path : {folder_, folder_ / "c", socket()}) {
    std::filesystem::permissions(path, std::filesystem::perms::all);
  }
  const lane::Hello hello{lane::kLayout, plant.description().schema_hash(), lease->id};
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  socket().string().copy(address.sun_path, sizeof address.sun_path - 1);
  constexpr int kHeard = 1, kNotConnected = 2, kOtherUser = 65534;

  const pid_t child = ::fork();  // which calls the kernel alone: this process has threads
  if (child == 0) {
    const int mine = ::setuid(kOtherUser) == 0 ? ::socket(AF_UNIX, SOCK_STREAM, 0) : -1;
    if (mine < 0 || ::connect(mine, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
      ::_exit(kNotConnected);
    }
    char byte = 0;
    (void)::send(mine, &hello, sizeof hello, MSG_NOSIGNAL);
    ::_exit(::recv(mine, &byte, 1, 0) > 0 ? kHeard : 0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);

  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(BareLane(socket()).ask(hello), lane::Verdict::kGiven) << "its owner is heard";
}

TEST_F(LaneTest, FramesByItAllocateNothingOfOurs) {
  if (!AllocationCount::is_supported()) GTEST_SKIP() << "a sanitizer owns malloc: allocations cannot be counted";
  constexpr int kFrames = 50'000;
  constexpr double kStatusAllocationsPerSecond = 300.0;
  client::Plant plant = connected(client::Transport::kAutomatic);
  ASSERT_TRUE(plant.acquire({}, 60s));
  static_cast<void>(plant.recv(0ms));
  const auto make_steps = [&](int count) {
    for (int i = 0; i < count; ++i) {
      if (!plant.step({0.5}) || plant.recv(0ms) == nullptr) return false;
    }
    return true;
  };
  ASSERT_TRUE(make_steps(2'000));

  const auto began = std::chrono::steady_clock::now();
  const ProcessAllocationCount allocations("libzmq");
  ASSERT_TRUE(make_steps(kFrames));
  const std::int64_t count = allocations.value();
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - began;

  EXPECT_LT(static_cast<double>(count), kFrames / 20.0 + kStatusAllocationsPerSecond * passed.count());
  EXPECT_TRUE(plant.uses_shared_memory());
}

/// Lanes without a plant, in real time, at a clock of the test's.
class LaneSetTest : public TemporaryFolder {
 protected:
  void SetUp() override {
    TemporaryFolder::SetUp();
    rig_.emplace(load_rig(test::rig_path("pendulum")).value());
    description_ = describe(*rig_, 0);
    live_.emplace(rig_->spec);
    recorder_.emplace(RecordHead{}, *live_, memory_, plant_, tasks_);
    arbiter_.emplace(description_.schema_hash(), 1, rt::Mode::kRealTime, memory_);
    const auto tell = [this](std::string_view kind, const std::string& text) {
      told_.push_back(std::string(kind) + " " + text);
    };
    lanes_.emplace(folder_, LaneSet::Parts{description_, rt::Mode::kRealTime, *arbiter_, *recorder_, tell});
    const std::size_t motor = 0;
    lease_ = arbiter_->acquire({&motor, 1}, "somebody", 60.0, kNow).value().id;
    client_.emplace(folder_ / lane::kEndpoint);
    std::optional<lane::Verdict> verdict;
    std::atomic<bool> is_answered{false};
    std::thread asking([&] {
      verdict = client_->ask({lane::kLayout, description_.schema_hash(), lease_});
      is_answered.store(true);
    });
    while (!is_answered.load()) go_round();
    asking.join();
    ASSERT_EQ(verdict, lane::Verdict::kGiven);
  }
  void TearDown() override {
    lanes_.reset();
    recorder_.reset();
    TemporaryFolder::TearDown();
  }
  void go_round() {
    std::vector<pollfd> waits;
    const bool has_command = lanes_->begin_sleep(waits);
    ::poll(waits.data(), waits.size(), has_command ? 0 : 5);
    lanes_->end_sleep(waits, kNow);
  }
  void command(int count) {
    lane::Command command;
    command.count = 1;
    for (int i = 0; i < count; ++i) {
      command.sequence = ++sequence_;
      command.value[0] = static_cast<double>(sequence_);
      lane::write_command(client_->memory(), sequence_ - 1, command);
    }
    client_->memory().tail.store(sequence_);
  }
  int take() {
    int passed = 0;
    lanes_->take_commands(kNow, [&passed] { ++passed; });
    return passed;
  }

  static constexpr std::int64_t kNow = 1'000'000'000;
  std::optional<LoadedRig> rig_;
  v1::Description description_;
  rt::PrivateMemory memory_;
  PlantChannel plant_{memory_};
  TaskQueue tasks_;
  std::optional<LiveParameters> live_;
  std::optional<Recorder> recorder_;
  std::optional<CommandArbiter> arbiter_;
  std::optional<LaneSet> lanes_;
  std::vector<std::string> told_;
  std::optional<BareLane> client_;
  std::uint64_t lease_ = 0, sequence_ = 0;
};

TEST_F(LaneSetTest, WhoFloodsIsHeardAtTheRateOfTheSocketsAndNoMore) {
  constexpr int kBatches = 1000;
  constexpr int kHeard = 100'000;  // at once
  int passed = 0;

  for (int i = 0; i < kBatches; ++i) {
    command(lane::kCommandSlots);
    passed += take();
  }

  EXPECT_EQ(passed, kHeard);
  EXPECT_EQ(arbiter_->counters().taken, kHeard);
  EXPECT_EQ(lanes_->refused(), kBatches * static_cast<int>(lane::kCommandSlots) - kHeard);
  EXPECT_EQ(memory_.command.take().value->value[0], static_cast<double>(kHeard)) << "the newest that was heard";
}

TEST_F(LaneSetTest, WhatAClientCommandedBeforeItWasKilledCountsAndThenItsLaneIsGone) {
  command(3);
  client_.reset();  // as the kernel does for one that was killed

  go_round();
  const int passed = take();

  EXPECT_EQ(passed, 3);
  EXPECT_EQ(lanes_->count(), 0U);
  EXPECT_TRUE(arbiter_->is_held(lease_, kNow)) << "it runs out by itself";
  EXPECT_EQ(told_, (std::vector<std::string>{"lane_opened somebody", "lane_closed somebody: its client is gone"}));
}

TEST_F(LaneSetTest, OneLookTakesNoMoreThanThereAreSlots) {
  command(2 * static_cast<int>(lane::kCommandSlots));  // over those that nobody read: no client of ours does

  EXPECT_EQ(take(), 0);
  EXPECT_EQ(lanes_->refused(), 1);
  command(5);
  EXPECT_EQ(take(), 5) << "it goes on where the client stands";
}

TEST_F(LaneSetTest, OfALeaseThatIsOverItIsTakenAwayAtTheNextLook) {
  ASSERT_TRUE(arbiter_->release(lease_));

  lanes_->end_overdue(kNow);

  EXPECT_EQ(lanes_->count(), 0U);
  EXPECT_TRUE(client_->is_closed());
}

}  // namespace
}  // namespace kinloop::io
