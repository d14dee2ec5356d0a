// Stops and kills single parts of a running plant: threads of io, the plant between two steps, the supervisor. Who is
// stuck is noticed within the time that is stated for it, and no status says of something dead that it runs. What each
// process may write of the shared memory is read from /proc.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <thread>

#include <kinloop/client/plant.hpp>

#include "rt/loop/memory_files.hpp"
#include "rt/messages/frame.hpp"
#include "services/run/child_process.hpp"
#include "tests/support/process.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kinloop {
namespace {

using testing::HasSubstr;

constexpr std::chrono::seconds kLifePatience{40};  // of the test with what must happen soon

bool happens(const std::function<bool()>& condition) {
  const auto until = std::chrono::steady_clock::now() + kLifePatience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

/// A run in a folder of its own.
class LivingRig {
 public:
  LivingRig(const std::filesystem::path& folder, const std::string& mode, const std::string& keys,
            const std::vector<std::string>& more)
      : folder_(folder) {
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "own.yaml") << "kinloop_rig: 1\nname: own\nmodel: " + std::string(KINLOOP_SOURCE_DIR) +
                                              "/configs/models/pendulum.yaml\nrate: 1 kHz\nmode: " + mode + "\n" +
                                              keys +
                                              "sensors: [{name: angle, signal: q.pin}]\n"
                                              "actuators:\n"
                                              "  - {name: motor, joint: pin, kind: force, command: {max_age: none}}\n";
    std::vector<std::string> arguments = {"run", (folder / "own.yaml").string(), "--runs", (folder / "runs").string(),
                                          "--allow-degraded"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    ::setenv("KINLOOP_RUNTIME_DIR", (folder / "r").c_str(), 1);  // NOLINT: one thread
    run_.emplace(arguments);
    const auto there = [this] { return std::filesystem::exists(directory() / "memory"); };
    EXPECT_TRUE(happens(there));
    EXPECT_TRUE(happens([&] {
      auto files = run::open_named_memory(directory() / "memory", rt::MemoryOwner::kIo);
      if (files) files_.emplace(std::move(files).value());
      return files_.has_value();
    }));
    EXPECT_TRUE(happens([&] { return memory().heartbeat.running.load() != 0; }));
  }
  ~LivingRig() {
    if (!has_ended_) end();
  }
  LivingRig(const LivingRig&) = delete;
  LivingRig& operator=(const LivingRig&) = delete;

  std::filesystem::path directory() const {
    std::error_code failed;
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / "runs", failed)) return entry.path();
    return folder_ / "none";
  }
  rt::PlantMemory& memory() { return files_->memory(); }
  Process& process() { return *run_; }
  int end() {
    run_->send(SIGTERM);
    return wait();
  }
  int wait() {
    has_ended_ = true;
    return run_->wait();
  }
  pid_t child(const std::string& name) const {
    const std::string pid = std::to_string(run_->pid());
    pid_t found = 0;
    EXPECT_TRUE(happens([&] {
      std::ifstream children("/proc/" + pid + "/task/" + pid + "/children");
      for (pid_t child = 0; children >> child;) {
        std::string comm;
        std::ifstream("/proc/" + std::to_string(child) + "/comm") >> comm;
        if (comm == name) found = child;
      }
      return found != 0;
    }));
    return found;
  }
  std::string log() const {
    std::ifstream file(directory() / "kinloop.log");
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  std::filesystem::path folder_;
  std::optional<Process> run_;
  std::optional<rt::MemoryFiles> files_;
  bool has_ended_ = false;
};

pid_t thread_named(pid_t process, const std::string& name) {
  for (const auto& entry : std::filesystem::directory_iterator("/proc/" + std::to_string(process) + "/task")) {
    std::string comm;
    std::ifstream(entry.path() / "comm") >> comm;
    if (comm == name) return std::atoi(entry.path().filename().c_str());
  }
  return 0;
}

/// One thread stands still, and the rest of its process does not know.
bool halt(pid_t thread) {
  return ::ptrace(PTRACE_SEIZE, thread, nullptr, nullptr) == 0 &&
         ::ptrace(PTRACE_INTERRUPT, thread, nullptr, nullptr) == 0;
}

class LivenessTest : public TemporaryFolder {
 protected:
  std::unique_ptr<LivingRig> start(const std::string& mode, const std::string& keys = "",
                                   const std::vector<std::string>& more = {}) {
    const bool is_timed = keys.empty() && mode == "real_time";  // a busy host is not what is tested
    return std::make_unique<LivingRig>(folder_ / std::to_string(++started_), mode,
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

TEST_F(LivenessTest, IoIsRestartedWhereOneOfItsThreadsIsStuck) {
  std::map<std::string, std::unique_ptr<LivingRig>> rigs;  // all at once: each takes its deadline
  for (const char* thread : {"frames", "recorder", "gateway"}) {
    rigs[thread] = start("real_time", "watchdog: {timeout: 20 s, life_timeout: none}\n", {"--panel=127.0.0.1:0"});
  }
  for (auto& [thread, rig] : rigs) {
    const pid_t io = rig->child("kinloop-io");
    ASSERT_NE(thread_named(io, thread), 0) << thread;
    if (!halt(thread_named(io, thread))) GTEST_SKIP() << "this host lets nobody trace a process";
  }

  for (auto& [thread, rig] : rigs) {
    rt::PlantMemory& memory = rig->memory();
    EXPECT_TRUE(happens([&] {
      while (::waitpid(-1, nullptr, __WALL | WNOHANG | __WNOTHREAD) > 0) continue;  // what was traced and killed
      return memory.epoch.load() == 2 && memory.io_ready.load() == 2;
    })) << thread;
    EXPECT_THAT(rig->log(), HasSubstr("its thread '" + thread + "' shows no life"));
    EXPECT_EQ(rig->end(), 0);
  }
}

/// The HTTP status of GET /healthz there.
int health_at(const std::string& address) {
  const std::string port = address.substr(address.rfind(':') + 1);
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<std::uint16_t>(std::atoi(port.c_str())));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  std::array<char, 256> answer{};
  const std::string request = "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:" + port + "\r\nConnection: close\r\n\r\n";
  int status = 0;
  if (::connect(socket, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0 &&
      ::send(socket, request.data(), request.size(), MSG_NOSIGNAL) > 0 && ::recv(socket, answer.data(), 255, 0) > 12) {
    status = std::atoi(answer.data() + 9);  // after "HTTP/1.1 "
  }
  ::close(socket);
  return status;
}

TEST_F(LivenessTest, HealthIsNotThatOfTheLastMessage) {
  const auto rig = start("real_time", "", {"--panel=127.0.0.1:0"});
  client::Options options;
  options.timeout = kLifePatience;
  auto plant = client::Plant::connect("own", options);
  ASSERT_TRUE(plant) << plant.error().message;
  std::string address;
  for (const v1::Endpoint& endpoint : plant->description().endpoints()) {
    if (endpoint.socket() == "panel") address = endpoint.address();
  }
  ASSERT_NE(address, "");
  ASSERT_TRUE(happens([&] { return health_at(address) == 200; }));

  const pid_t io = rig->child("kinloop-io");
  if (!halt(io)) GTEST_SKIP() << "this host lets nobody trace a process";  // its main thread; the page's goes on

  EXPECT_TRUE(happens([&] { return health_at(address) == 503; }));
  EXPECT_TRUE(happens([&] {
    while (::waitpid(io, nullptr, __WALL | WNOHANG) > 0) continue;
    return rig->memory().io_ready.load() == 2;
  })) << "and io is started again";
}

TEST_F(LivenessTest, ActuatorsAreSafeAfterTheTimeThatTheRigStates) {
  const auto rig = start("real_time", "watchdog: {timeout: 20 s, life_timeout: 300 ms}\n");
  rt::PlantMemory& memory = rig->memory();
  ASSERT_TRUE(happens([&] { return memory.io_ready.load() != 0; }));

  rig->process().send(SIGSTOP);
  const auto since = std::chrono::steady_clock::now();
  rt::Event event;
  bool is_safe = false;
  ASSERT_EQ(::kill(rig->child("kinloop-io"), SIGSTOP), 0);  // so that this test is the only one who reads
  while (!is_safe && std::chrono::steady_clock::now() - since < kLifePatience) {
    while (memory.io_events.take(event)) is_safe = is_safe || event.kind == rt::EventKind::kAbandoned;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  const auto taken = std::chrono::steady_clock::now() - since;

  EXPECT_TRUE(is_safe);
  EXPECT_LT(taken, std::chrono::milliseconds(1500)) << "not only after the two seconds of the default";
  ::kill(rig->child("kinloop-io"), SIGCONT);
  rig->process().send(SIGCONT);
}

TEST_F(LivenessTest, APlantThatIsStoppedBetweenTwoStepsOfLockstepIsGivenUp) {
  const auto rig = start("lockstep");
  ASSERT_TRUE(happens([&] { return rig->memory().heartbeat.iterations.load() > 10; }));

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

TEST_F(LivenessTest, ASupervisorThatIsKilledLeavesAFaultedFrameAnEventAndAStateThatIsNotEnded) {
  const auto rig = start("real_time");
  client::Options options;
  options.timeout = kLifePatience;
  auto plant = client::Plant::connect("own", options);
  ASSERT_TRUE(plant) << plant.error().message;
  ASSERT_NE(plant->recv(std::chrono::milliseconds(20000)), nullptr);
  ASSERT_TRUE(happens([&] { return plant->recv_news(std::chrono::milliseconds(100)).has_value(); }));

  rig->process().send(SIGKILL);
  EXPECT_EQ(rig->wait(), -SIGKILL);

  bool is_faulted = false;
  while (const v1::SensorFrame* frame = plant->recv(std::chrono::milliseconds(3000), client::Which::kNext)) {
    is_faulted = (frame->flags() & rt::frame_flag::kFaulted) != 0;
  }
  EXPECT_TRUE(is_faulted) << "the last frame";
  bool has_event = false;
  auto state = v1::PLANT_STATE_UNSPECIFIED;
  while (const auto news = plant->recv_news(std::chrono::milliseconds(1000))) {
    if (const auto* event = std::get_if<v1::Event>(&*news)) has_event = has_event || event->kind() == "supervisor_died";
    if (const auto* status = std::get_if<v1::Status>(&*news)) state = status->state();
  }
  EXPECT_TRUE(has_event);
  EXPECT_EQ(state, v1::PLANT_STATE_DEAD);
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

  EXPECT_TRUE(happens([&] { return rig->memory().io_ready.load() == 2; })) << "io is restarted all the same";
  EXPECT_EQ(rig->end(), 0);
}

}  // namespace
}  // namespace kinloop
