// Stops and kills single parts of a running plant: threads of io, the plant between two steps, the supervisor. Who is
// stuck is noticed within the time that is stated for it, and no status says of something dead that it runs. What each
// process may write of the shared memory is read from /proc.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <thread>

#include <kinloop/client/plant.hpp>

#include "rt/messages/frame.hpp"
#include "rt/policies/emergency_stop.hpp"
#include "tests/support/notify_socket.hpp"
#include "tests/support/process.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/system/running_rig.hpp"

namespace kinloop {
namespace {

using testing::HasSubstr;

/// One thread stands still, and the rest of its process does not know.
bool halt(pid_t thread) {
  return ::ptrace(PTRACE_SEIZE, thread, nullptr, nullptr) == 0 &&
         ::ptrace(PTRACE_INTERRUPT, thread, nullptr, nullptr) == 0;
}

/// It goes on.
bool go_on(pid_t thread) {
  int status = 0;
  return ::waitpid(thread, &status, __WALL) == thread && ::ptrace(PTRACE_DETACH, thread, nullptr, nullptr) == 0;
}

class LivenessTest : public TemporaryFolder {
 protected:
  std::unique_ptr<RunningRig> start(const std::string& mode, const std::string& keys = "",
                                    const std::vector<std::string>& more = {}) {
    const bool is_timed = keys.empty() && mode == "real_time";  // a busy host is not what is tested
    return std::make_unique<RunningRig>(folder_ / std::to_string(++started_), mode,
                                        is_timed ? "watchdog: {timeout: 20 s}\n" : keys, more);
  }
  void TearDown() override {
    ::unsetenv("KINLOOP_RUNTIME_DIR");  // NOLINT: one thread
    TemporaryFolder::TearDown();
  }
  int started_ = 0;
};

/// Of the shared mappings of a plant's memory: owner → permissions, as /proc/PID/maps tells.
std::map<std::string, std::string> mappings_of(pid_t process) {
  std::map<std::string, std::string> found;
  std::ifstream maps("/proc/" + std::to_string(process) + "/maps");
  for (std::string line; std::getline(maps, line);) {
    const std::size_t at = line.find("/memfd:kinloop-own-");
    if (at == std::string::npos) continue;
    const std::string owner = line.substr(at + 19, line.find(' ', at) - at - 19);
    const std::string permissions = line.substr(line.find(' ') + 1, 4);
    auto& all = found[owner];
    if (all.find(permissions) == std::string::npos) all += permissions;
  }
  return found;
}

TEST_F(LivenessTest, EveryProcessWritesToItsOwnMemoryAlone) {
  const auto rig = start("real_time");
  using Mappings = std::map<std::string, std::string>;

  EXPECT_EQ(mappings_of(rig->process().pid()), (Mappings{{"supervisor", "rw-s"}, {"plant", "r--s"}, {"io", "r--s"}}));
  EXPECT_EQ(mappings_of(rig->child("kinloop-plant")),
            (Mappings{{"supervisor", "r--s"}, {"plant", "rw-s"}, {"io", "r--s"}}));
  EXPECT_EQ(mappings_of(rig->child("kinloop-io")),
            (Mappings{{"supervisor", "r--s"}, {"plant", "r--s"}, {"io", "rw-s"}}));
}

TEST_F(LivenessTest, NobodyCanMapTheMemoryOfSupervisorAndPlantForWritingAnyMore) {
  const auto rig = start("real_time");
  std::ifstream names(rig->directory() / "memory");

  for (const char* owner : {"supervisor", "plant"}) {
    std::string name;
    ASSERT_TRUE(std::getline(names, name));
    const int descriptor = ::open(name.c_str(), O_RDWR | O_CLOEXEC);  // as anybody of this user can
    ASSERT_GE(descriptor, 0) << name;
    EXPECT_EQ(::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0), MAP_FAILED) << owner;
    const char byte = 1;
    EXPECT_LT(::pwrite(descriptor, &byte, 1, 0), 0) << owner;
    ::close(descriptor);
  }
}

/// Even where it has not given itself its name yet; 0: there is none.
pid_t spawned_io(pid_t supervisor) {
  const std::string pid = std::to_string(supervisor);
  std::ifstream children("/proc/" + pid + "/task/" + pid + "/children");
  for (pid_t child = 0; children >> child;) {
    std::ifstream file("/proc/" + std::to_string(child) + "/cmdline");
    const std::string command{std::istreambuf_iterator<char>(file), {}};
    if (command.starts_with(std::string("kinloop\0io\0", 11))) return child;
  }
  return 0;
}

/// io may be started by then: it talks to strangers.
TEST_F(LivenessTest, NobodyCanMapThePlantsMemoryForWritingOnceThereIsAnIo) {
  write("own.yaml", "kinloop_rig: 1\nname: own\nmodel: " + std::string(KINLOOP_SOURCE_DIR) +
                        "/configs/models/pendulum.yaml\nrate: 1 kHz\nmode: lockstep\n");
  ::setenv("KINLOOP_RUNTIME_DIR", (folder_ / "r").c_str(), 1);  // NOLINT: one thread
  Process run({"run", (folder_ / "own.yaml").string(), "--runs", (folder_ / "runs").string()});
  while (spawned_io(run.pid()) == 0)
    ASSERT_EQ(::kill(run.pid(), 0), 0);  // without a pause: the moment at which it begins is what counts
  std::string name;
  for (const auto& entry : std::filesystem::directory_iterator(folder_ / "runs")) {
    std::ifstream names(entry.path() / "memory");
    std::getline(names, name);
    std::getline(names, name);  // the plant's
  }
  const int descriptor = ::open(name.c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_GE(descriptor, 0) << name;
  EXPECT_EQ(::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0), MAP_FAILED);
  EXPECT_NE(::fcntl(descriptor, F_GET_SEALS) & F_SEAL_FUTURE_WRITE, 0);

  ::close(descriptor);
  EXPECT_TRUE(comes([&] { return child_named(run.pid(), "kinloop-io") != 0; }));
  run.send(SIGTERM);
  EXPECT_EQ(run.wait(), 0);
}

std::string status_of(const std::filesystem::path& task, const std::string& key) {
  std::ifstream file(task / "status");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(key + ":\t")) return line.substr(key.size() + 2);
  }
  return "";
}

/// Its thread for stops as well, which begins before the others to get its priority.
TEST_F(LivenessTest, EveryThreadOfIoIsConfinedAsItsFirstAndTheOneForStopsGoesFirst) {
  const auto rig = start("real_time", "", {"--panel=127.0.0.1:0", "--listen", "tcp://127.0.0.1:0"});
  const std::filesystem::path io = "/proc/" + std::to_string(rig->child("kinloop-io"));

  int threads = 0;
  for (const auto& task : std::filesystem::directory_iterator(io / "task")) {
    ++threads;
    for (const char* key : {"Seccomp", "CapEff", "CapPrm", "NoNewPrivs"}) {
      EXPECT_EQ(status_of(task.path(), key), status_of(io, key)) << key << " of " << status_of(task.path(), "Name");
    }
  }
  EXPECT_GT(threads, 5);
  for (const char* name : {"stop", "stop-tcp"}) {
    const pid_t of_supervisor = thread_named(rig->process().pid(), name);
    const pid_t of_io = thread_named(rig->child("kinloop-io"), name);
    ASSERT_NE(of_supervisor, 0) << name;
    ASSERT_NE(of_io, 0) << name;
    EXPECT_EQ(::sched_getscheduler(of_io), ::sched_getscheduler(of_supervisor)) << name;
  }
  EXPECT_EQ(::sched_getscheduler(rig->child("kinloop-io")), SCHED_OTHER);
}

class StuckThreadTest : public LivenessTest {
 protected:
  struct Stuck {
    std::string thread;  // as it is named in the log
    std::string name;    // for ps and top
  };
  /// Each in a rig of its own, all at once: each takes its deadline.
  void expect_restart(const std::vector<Stuck>& all, std::chrono::seconds patience) {
    std::map<std::string, std::unique_ptr<RunningRig>> rigs;
    for (const Stuck& stuck : all) {
      rigs[stuck.thread] = start("real_time", "watchdog: {timeout: 20 s, life_timeout: none}\n",
                                 {"--panel=127.0.0.1:0", "--listen", "tcp://127.0.0.1:0"});
    }
    for (const Stuck& stuck : all) {
      const pid_t thread = thread_named(rigs[stuck.thread]->child("kinloop-io"), stuck.name);
      ASSERT_NE(thread, 0) << stuck.thread;
      if (!halt(thread)) GTEST_SKIP() << "this host lets nobody trace a process";
    }

    for (auto& [thread, rig] : rigs) {
      rt::PlantMemory& memory = rig->memory();
      EXPECT_TRUE(comes(
          [&] {
            while (::waitpid(-1, nullptr, __WALL | WNOHANG | __WNOTHREAD) > 0) continue;  // what was traced and killed
            return memory.epoch.load() == 2 && memory.io_ready.load() == 2;
          },
          patience))
          << thread;
      EXPECT_THAT(rig->log(), HasSubstr("its thread '" + thread + "' shows no life"));
      EXPECT_EQ(rig->end(), 0);
    }
  }
};

TEST_F(StuckThreadTest, MakesIoBeRestarted) {
  expect_restart({{"frames", "frames"},
                  {"recorder", "recorder"},
                  {"gateway", "gateway"},
                  {"stops", "stop"},
                  {"remote stops", "stop-tcp"}},
                 kPatience);
}

/// What they work at may take a minute, and so does this: one for `./dev test --full`.
TEST_F(StuckThreadTest, DISABLED_OfJobsOrTrialsMakesIoBeRestarted) {
  expect_restart({{"jobs", "jobs"}, {"trials", "trials"}}, std::chrono::seconds(100));
}

/// A rig under systemd, which this is.
class PettedTest : public LivenessTest {
 protected:
  void SetUp() override {
    LivenessTest::SetUp();
    systemd_.emplace(folder_ / "notify");
    ::setenv("NOTIFY_SOCKET", (folder_ / "notify").c_str(), 1);  // NOLINT: one thread
    ::setenv("WATCHDOG_USEC", "800000", 1);                      // NOLINT: it pets four times as often
    rig_ = start("real_time");
    ASSERT_TRUE(comes([&] { return was_petted(); }));
  }
  void TearDown() override {
    rig_.reset();
    ::unsetenv("NOTIFY_SOCKET");  // NOLINT: one thread
    ::unsetenv("WATCHDOG_USEC");  // NOLINT: one thread
    LivenessTest::TearDown();
  }
  /// Since it was asked for the last time.
  bool was_petted() const { return systemd_->all().find("WATCHDOG=1") != std::string::npos; }
  /// Whether it is in vain to wait for it, as far as one can tell.
  bool is_silent() const {
    was_petted();
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));
    return !was_petted();
  }

  std::optional<NotifySocket> systemd_;
  std::unique_ptr<RunningRig> rig_;
};

TEST_F(PettedTest, OnlyWhileTheSupervisorGoesRound) {
  const pid_t supervisor = rig_->process().pid();
  if (!halt(supervisor)) GTEST_SKIP() << "this host lets nobody trace a process";  // its main thread alone

  EXPECT_TRUE(comes([&] { return is_silent(); }));
  ASSERT_TRUE(go_on(supervisor));
  EXPECT_TRUE(comes([&] { return was_petted(); }));
  EXPECT_EQ(rig_->end(), 0);
}

TEST_F(PettedTest, OnlyWhileEveryPartAnswers) {
  const pid_t thread = thread_named(rig_->process().pid(), "stop");
  if (!halt(thread)) GTEST_SKIP() << "this host lets nobody trace a process";

  EXPECT_TRUE(comes([&] { return rig_->log().find("for stops by local sockets shows no life") != std::string::npos; }));
  EXPECT_TRUE(is_silent()) << "nothing starts that thread again but systemd";
  ASSERT_TRUE(go_on(thread));
  EXPECT_TRUE(comes([&] { return was_petted(); }));
  EXPECT_EQ(rig_->end(), 0);
}

TEST_F(PettedTest, WhileAnIoThatHangsIsStartedAgain) {
  rt::PlantMemory& memory = rig_->memory();
  ASSERT_EQ(::kill(rig_->child("kinloop-io"), SIGSTOP), 0);

  while (memory.epoch.load() == 1) ASSERT_FALSE(is_silent()) << "the plant is well";
  EXPECT_TRUE(comes([&] { return memory.io_ready.load() == 2; }));
  EXPECT_TRUE(comes([&] { return was_petted(); }));
  EXPECT_EQ(rig_->end(), 0);
}

TEST_F(LivenessTest, AThreadOfStopInputsThatIsStuckIsAStop) {
  const std::string device = (folder_ / "event0").string();
  ASSERT_EQ(::mkfifo(device.c_str(), 0600), 0);
  const int button = ::open(device.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
  const auto rig = start("real_time", "watchdog: {timeout: 20 s}\nstop_inputs:\n  - {kind: key, device: " + device +
                                          ", key: KEY_STOP, contact: normally_open}\n");
  const rt::StopReceipt& receipt = rig->memory().stop_receipts[static_cast<std::size_t>(rt::StopWriter::kSupervisor)];
  ASSERT_EQ(receipt.count.load(), 0U);

  const pid_t thread = thread_named(rig->process().pid(), "stop-inputs");
  ASSERT_NE(thread, 0);
  if (!halt(thread)) GTEST_SKIP() << "this host lets nobody trace a process";

  EXPECT_TRUE(comes([&] { return receipt.count.load() > 0; }));
  const std::uint64_t stops = receipt.count.load();
  EXPECT_TRUE(comes([&] { return receipt.count.load() > stops; })) << "who re-arms meanwhile has re-armed nothing";
  EXPECT_THAT(rig->log(), HasSubstr("the thread that reads stop inputs shows no life"));
  ASSERT_TRUE(go_on(thread));
  EXPECT_EQ(rig->end(), 0);
  ::close(button);
}

/// All of its threads are found as they were: nobody is to blame.
TEST_F(LivenessTest, ASupervisorThatWasStoppedDoesNotMissItsOwnThreads) {
  const std::string device = (folder_ / "event0").string();
  ASSERT_EQ(::mkfifo(device.c_str(), 0600), 0);
  const int button = ::open(device.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
  const auto rig = start("real_time",
                         "watchdog: {timeout: 20 s, life_timeout: none}\nstop_inputs:\n  - {kind: key, "
                         "device: " +
                             device + ", key: KEY_STOP, contact: normally_open}\n");

  rig->process().send(SIGSTOP);
  std::this_thread::sleep_for(std::chrono::seconds(3));
  rig->process().send(SIGCONT);
  std::this_thread::sleep_for(std::chrono::milliseconds(500));

  for (const rt::StopReceipt& receipt : rig->memory().stop_receipts) EXPECT_EQ(receipt.count.load(), 0U);
  EXPECT_EQ(rig->log().find("shows no life"), std::string::npos);
  EXPECT_EQ(rig->end(), 0);
  ::close(button);
}

/// All stood still for longer than io may be silent, and the supervisor is the first to go on.
TEST_F(LivenessTest, AHostThatStoodStillCostsNoIo) {
  const auto rig = start("real_time");
  const pid_t io = rig->child("kinloop-io");
  const rt::Beat& beat = rig->memory().io_beats[static_cast<std::size_t>(rt::IoThread::kMain)];
  const std::chrono::nanoseconds deadline(rt::kIoDeadlines[static_cast<std::size_t>(rt::IoThread::kMain)].deadline_ns);

  rig->process().send(SIGSTOP);
  ::kill(io, SIGSTOP);
  const std::int64_t last_ns = beat.at_ns.load();
  std::this_thread::sleep_for(deadline + std::chrono::seconds(1));
  rig->process().send(SIGCONT);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  ::kill(io, SIGCONT);

  EXPECT_TRUE(comes([&] { return beat.at_ns.load() > last_ns; }));
  EXPECT_EQ(rig->child("kinloop-io"), io);
  EXPECT_EQ(rig->memory().epoch.load(), 1U);
  EXPECT_EQ(rig->log().find("it is killed"), std::string::npos);
  EXPECT_EQ(rig->end(), 0);
}

/// The answer to GET there, from its status line on.
std::string answer_at(const std::string& address, const std::string& path) {
  const std::string port = address.substr(address.rfind(':') + 1);
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<std::uint16_t>(std::atoi(port.c_str())));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const std::string request = "GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1:" + port + "\r\nConnection: close\r\n\r\n";
  std::string answer;
  if (::connect(socket, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0 &&
      ::send(socket, request.data(), request.size(), MSG_NOSIGNAL) > 0) {
    std::array<char, 4096> bytes{};
    for (ssize_t count = 0; (count = ::recv(socket, bytes.data(), bytes.size(), 0)) > 0;) {
      answer.append(bytes.data(), static_cast<std::size_t>(count));
    }
  }
  ::close(socket);
  return answer;
}

/// The main thread of io makes the status; while it stands still, the page's goes on.
TEST_F(LivenessTest, HealthMetricsAndStateAreNotThoseOfTheLastMessage) {
  const auto rig = start("real_time", "", {"--panel=127.0.0.1:0"});
  client::Options options;
  options.timeout = kPatience;
  auto plant = client::Plant::connect("own", options);
  ASSERT_TRUE(plant) << plant.error().message;
  std::string address;
  for (const v1::Endpoint& endpoint : plant->description().endpoints()) {
    if (endpoint.socket() == "panel") address = endpoint.address();
  }
  ASSERT_NE(address, "");
  const auto says = [&](const std::string& path, const std::string& what) {
    return answer_at(address, path).find(what) != std::string::npos;
  };
  ASSERT_TRUE(comes([&] { return says("/healthz", "HTTP/1.1 200"); }));
  ASSERT_TRUE(comes([&] { return says("/metrics", "kinloop_plant_running{rig=\"own\"} 1"); }));
  ASSERT_TRUE(says("/api/status", "PLANT_STATE_RUNNING"));

  const pid_t io = rig->child("kinloop-io");
  if (!halt(io)) GTEST_SKIP() << "this host lets nobody trace a process";

  EXPECT_TRUE(comes([&] { return says("/healthz", "HTTP/1.1 503"); }));
  EXPECT_TRUE(says("/metrics", "kinloop_plant_running{rig=\"own\"} 0"));
  EXPECT_TRUE(says("/api/status", "PLANT_STATE_DEAD"));
  EXPECT_TRUE(comes([&] {
    while (::waitpid(io, nullptr, __WALL | WNOHANG) > 0) continue;
    return rig->memory().io_ready.load() == 2;
  })) << "and io is started again";
}

TEST_F(LivenessTest, ActuatorsAreSafeAfterTheTimeThatTheRigStates) {
  const auto rig = start("real_time", "watchdog: {timeout: 20 s, life_timeout: 300 ms}\n");
  rt::PlantMemory& memory = rig->memory();
  ASSERT_TRUE(comes([&] { return memory.io_ready.load() != 0; }));

  rig->process().send(SIGSTOP);
  const auto since = std::chrono::steady_clock::now();
  rt::Event event;
  bool is_safe = false;
  ASSERT_EQ(::kill(rig->child("kinloop-io"), SIGSTOP), 0);  // so that this test is the only one who reads
  while (!is_safe && std::chrono::steady_clock::now() - since < kPatience) {
    while (memory.io_events.take(event)) is_safe = is_safe || event.kind == rt::EventKind::kAbandoned;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  const auto taken = std::chrono::steady_clock::now() - since;

  EXPECT_TRUE(is_safe);
  EXPECT_LT(taken, std::chrono::milliseconds(1500)) << "not only after the two seconds of the default";
  ::kill(rig->child("kinloop-io"), SIGCONT);
  rig->process().send(SIGCONT);
}

/// Its actuator takes commands of any age: nothing but the missing io makes it safe.
TEST_F(LivenessTest, ActuatorsAreSafeWhereTheNextIoHangsAtItsStart) {
  const auto rig = start("real_time", "watchdog: {timeout: 20 s, life_timeout: 300 ms}\n");
  rt::PlantMemory& memory = rig->memory();
  rt::Beat& beat = rt::beat_of(memory.io_beats, rt::IoThread::kMain);
  ASSERT_TRUE(comes([&] { return beat.at_ns.load() != 0; }));

  const pid_t first = rig->child("kinloop-io");
  ASSERT_EQ(::kill(first, SIGKILL), 0);
  const auto until = std::chrono::steady_clock::now() + kPatience;
  while (beat.at_ns.load() != 0 && std::chrono::steady_clock::now() < until) continue;  // the next one has begun
  const pid_t second = spawned_io(rig->process().pid());
  ASSERT_NE(second, 0);
  ASSERT_EQ(::kill(second, SIGSTOP), 0);
  ASSERT_NE(second, first);
  ASSERT_NE(memory.io_ready.load(), memory.epoch.load()) << "it was stopped in time";

  EXPECT_TRUE(comes(
      [&] {
        const auto pose = memory.pose.take();  // which nobody else reads now
        return pose.value != nullptr && pose.value->stopped == 1;
      },
      std::chrono::seconds(10)));
  ::kill(second, SIGCONT);
  EXPECT_EQ(rig->end(), 0);
}

TEST_F(LivenessTest, APlantThatIsStoppedBetweenTwoStepsOfLockstepIsGivenUp) {
  const auto rig = start("lockstep");
  ASSERT_TRUE(comes([&] { return rig->memory().heartbeat.iterations.load() > 10; }));

  ASSERT_EQ(::kill(rig->child("kinloop-plant"), SIGSTOP), 0);
  const auto since = std::chrono::steady_clock::now();

  EXPECT_EQ(rig->wait(), 4) << "watchdog tripped";
  EXPECT_LT(std::chrono::steady_clock::now() - since, std::chrono::seconds(20));
}

TEST_F(LivenessTest, APlantInFreeModeBearsABusyHost) {
  std::vector<std::unique_ptr<Process>> busy;
  for (int i = 0; i < 8; ++i) {
    busy.push_back(std::make_unique<Process>("sh", std::vector<std::string>{"-c", "while :; do :; done"}));
  }
  const auto rig = start("free", "", {"--listen", "none"});

  std::this_thread::sleep_for(std::chrono::seconds(6));

  EXPECT_EQ(rig->end(), 0);
  for (const auto& process : busy) {
    process->send(SIGKILL);
    process->wait();
  }
}

TEST_F(LivenessTest, APlantThatIsEndedByASignalOfSomebodyElseIsNoGoodEnd) {
  const auto rig = start("real_time");

  ASSERT_EQ(::kill(rig->child("kinloop-plant"), SIGTERM), 0);

  EXPECT_EQ(rig->wait(), 1);
}

class DeathTest : public LivenessTest {
 protected:
  /// By a signal that ends it: the last frame, an event and the state tell of it.
  void expect_that_death_is_told(int signal);
};

void DeathTest::expect_that_death_is_told(int signal) {
  const auto rig = start("real_time");
  client::Options options;
  options.timeout = kPatience;
  auto plant = client::Plant::connect("own", options);
  ASSERT_TRUE(plant) << plant.error().message;
  ASSERT_NE(plant->recv(std::chrono::milliseconds(20000)), nullptr);
  ASSERT_TRUE(comes([&] { return plant->recv_event(std::chrono::milliseconds(100)).has_value(); }));

  rig->process().send(signal);
  EXPECT_EQ(rig->wait(), -signal);

  bool is_faulted = false;
  while (const v1::SensorFrame* frame = plant->recv(std::chrono::milliseconds(3000), client::Which::kNext)) {
    is_faulted = (frame->flags() & rt::frame_flag::kFaulted) != 0;
  }
  EXPECT_TRUE(is_faulted) << "the last frame";
  bool has_event = false;
  auto state = v1::PLANT_STATE_UNSPECIFIED;
  while (const auto told = plant->recv_event(std::chrono::milliseconds(1000))) {
    if (const auto* event = std::get_if<v1::Event>(&*told)) has_event = has_event || event->kind() == "supervisor_died";
    if (const auto* status = std::get_if<v1::Status>(&*told)) state = status->state();
  }
  EXPECT_TRUE(has_event);
  EXPECT_EQ(state, v1::PLANT_STATE_DEAD);
}

TEST_F(DeathTest, OfASupervisorThatIsKilledIsToldByFrameEventAndState) { expect_that_death_is_told(SIGKILL); }

/// Its children are told by the kernel only when the core is written, with all of its locked memory.
TEST_F(DeathTest, OfASupervisorThatLeavesACoreIsToldToo) {
  rlimit core{};
  ASSERT_EQ(::getrlimit(RLIMIT_CORE, &core), 0);
  const rlimit whole{core.rlim_max, core.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_CORE, &whole), 0);
  const std::filesystem::path here = std::filesystem::current_path();
  std::filesystem::current_path(folder_);  // where most hosts put it

  expect_that_death_is_told(SIGABRT);

  std::filesystem::current_path(here);
  ::setrlimit(RLIMIT_CORE, &core);
}

TEST_F(LivenessTest, AnOrdinaryEndIsNoDeath) {
  const auto rig = start("real_time");
  client::Options options;
  options.timeout = kPatience;
  auto plant = client::Plant::connect("own", options);
  ASSERT_TRUE(plant) << plant.error().message;
  ASSERT_TRUE(comes([&] { return plant->recv_event(std::chrono::milliseconds(100)).has_value(); }));

  EXPECT_EQ(rig->end(), 0);

  auto state = v1::PLANT_STATE_UNSPECIFIED;
  while (const auto told = plant->recv_event(std::chrono::milliseconds(1000))) {
    if (const auto* event = std::get_if<v1::Event>(&*told)) {
      EXPECT_NE(event->kind(), "supervisor_died");
    }
    if (const auto* status = std::get_if<v1::Status>(&*told)) state = status->state();
  }
  EXPECT_EQ(state, v1::PLANT_STATE_ENDED);
}

TEST_F(LivenessTest, AFullOutputHoldsUpNeitherReportsNorTheEnd) {
  const auto rig = start("real_time");
  const int output = ::open(("/proc/" + std::to_string(rig->process().pid()) + "/fd/1").c_str(), O_WRONLY | O_NONBLOCK);
  ASSERT_GE(output, 0);
  const std::array<char, 4096> line{};
  while (::write(output, line.data(), line.size()) > 0) continue;
  ::close(output);

  for (int i = 0; i < 5; ++i) rig->process().send(SIGUSR1);
  ASSERT_EQ(::kill(rig->child("kinloop-io"), SIGKILL), 0);

  EXPECT_TRUE(comes([&] { return rig->memory().io_ready.load() == 2; })) << "io is restarted all the same";
  EXPECT_EQ(rig->end(), 0);
}

}  // namespace
}  // namespace kinloop
