// fork and exec, then the file that tells where the memory is.
#include "bench/stop/rig_process.hpp"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "tests/support/named_memory.hpp"

namespace kinloop::bench {
namespace {

constexpr const char* kRig = R"(kinloop_rig: 1
name: stopped
model: )" KINLOOP_SOURCE_DIR R"(/configs/models/pendulum.yaml
rate: 1 kHz
mode: real_time
watchdog: {timeout: 20 s}
actuators:
  - {name: motor, joint: pin, kind: force, limits: [-50 Nm, 50 Nm], command: {max_age: 100 ms, when_stale: zero}}
)";

template <class Condition>
void wait_until(const char* what, const Condition& condition) {
  for (int i = 0; i < 6000; ++i) {
    if (condition()) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  std::fprintf(stderr, "waited in vain until %s\n", what);
  std::exit(1);
}

/// Its both ends: what is written to the second one waits for ever.
std::array<int, 2> full_pipe() {
  std::array<int, 2> ends{-1, -1};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) std::exit(1);
  ::fcntl(ends[1], F_SETFL, O_NONBLOCK);
  while (::write(ends[1], "x", 1) == 1) continue;
  ::fcntl(ends[1], F_SETFL, 0);
  return ends;
}

bool mount_small(const std::filesystem::path& folder) {
  return ::mount("stop", folder.c_str(), "tmpfs", 0, "size=8m,mode=700") == 0;
}

}  // namespace

bool can_have(const Surroundings& surroundings) {
  if (surroundings.disk == Surroundings::Disk::kHost) return true;
  char name[] = "/tmp/kl-stop-XXXXXX";
  if (::mkdtemp(name) == nullptr) return false;
  const bool is_permitted = mount_small(name);
  if (is_permitted) ::umount2(name, MNT_DETACH);
  ::rmdir(name);
  return is_permitted;
}

RigProcess::RigProcess(const Surroundings& surroundings) {
  char name[] = "/tmp/kl-stop-XXXXXX";
  if (::mkdtemp(name) == nullptr) std::exit(1);
  place_ = name;
  std::ofstream(place_ / "rig.yaml") << kRig << surroundings.rig;
  if (surroundings.disk == Surroundings::Disk::kSmall) mount_small_disk();
  ::setenv("KINLOOP_RUNTIME_DIR", (place_ / "r").c_str(), 1);  // NOLINT: one thread
  std::vector<std::string> arguments = {"kinloop",          "run",    (place_ / "rig.yaml").string(),
                                        "--allow-degraded", "--runs", runs().string()};
  const bool is_full = surroundings.console == Surroundings::Console::kFull;
  arguments.insert(arguments.end(), {"--log-level", is_full ? "debug" : "error"});
  if (surroundings.disk == Surroundings::Disk::kSmall) {
    arguments.insert(arguments.end(), {"--record", (runs() / "stopped.mcap").string()});
  }
  arguments.insert(arguments.end(), surroundings.options.begin(), surroundings.options.end());
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  const std::array<int, 2> console = is_full ? full_pipe() : std::array{-1, -1};
  full_console_ = console[0];
  std::fflush(stdout);
  pid_ = ::fork();
  if (pid_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    static_cast<void>(std::freopen("/dev/null", "w", stdout));
    for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) {
      if (is_full) ::dup2(console[1], stream);
    }
    ::execv(KINLOOP_BINARY, argv.data());
    std::_Exit(1);
  }
  if (is_full) ::close(console[1]);
  std::filesystem::path file;
  wait_until("there is a memory", [&] {
    std::error_code failed;
    for (const auto& entry : std::filesystem::directory_iterator(runs(), failed)) {
      if (entry.is_directory()) file = entry.path() / "memory";
    }
    return !file.empty() && std::filesystem::exists(file) && std::filesystem::file_size(file) > 0;
  });
  auto files = test::open_named_memory(file, rt::MemoryOwner::kIo);
  if (!files) {
    std::fprintf(stderr, "%s: %s\n", file.c_str(), files.error().what.c_str());
    std::exit(1);
  }
  files_.emplace(std::move(files).value());
  wait_until("the plant runs", [&] {
    return memory().heartbeat.running.load() != 0 && memory().io_ready.load() != 0 &&
           memory().heartbeat.iterations.load() > 100;
  });
}

RigProcess::~RigProcess() {
  ::kill(pid_, SIGCONT);
  if (const pid_t child = io(); child != 0) ::kill(child, SIGCONT);
  ::kill(pid_, SIGTERM);
  ::waitpid(pid_, nullptr, 0);
  if (full_console_ >= 0) ::close(full_console_);
  if (is_mounted_) ::umount2(runs().c_str(), MNT_DETACH);
  std::error_code ignored;
  std::filesystem::remove_all(place_, ignored);
}

void RigProcess::mount_small_disk() {
  std::filesystem::create_directory(runs());
  is_mounted_ = mount_small(runs());
  if (is_mounted_) return;
  std::perror("a small disk");
  std::exit(1);
}

const rt::PlantMemory& RigProcess::memory() const { return files_->memory(); }

std::filesystem::path RigProcess::folder() const {
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(place_ / "r", failed)) return entry.path();
  return {};
}

std::string RigProcess::address(const std::string& socket, Way way) const {
  std::ifstream file(folder() / "endpoints");
  const std::string scheme = way == Way::kTcp ? "tcp://" : "ipc://";
  std::string name;
  std::string value;
  while (file >> name && std::getline(file >> std::ws, value)) {
    if (name == socket && value.starts_with(scheme)) return value;
  }
  return {};
}

pid_t RigProcess::io() const {
  const std::string pid = std::to_string(pid_);
  std::ifstream children("/proc/" + pid + "/task/" + pid + "/children");
  for (pid_t child = 0; children >> child;) {
    std::string comm;
    std::ifstream("/proc/" + std::to_string(child) + "/comm") >> comm;
    if (comm == "kinloop-io") return child;
  }
  return 0;
}

}  // namespace kinloop::bench
