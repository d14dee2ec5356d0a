// posix_spawn, and std::thread.
#include "services/run/plant_host.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "services/cli/exit_code.hpp"

namespace kinloop::run {
namespace {

class ProcessHost final : public PlantHost {
 public:
  explicit ProcessHost(pid_t pid) noexcept : pid_(pid) {}
  ~ProcessHost() override {
    if (ended_) return;
    ProcessHost::kill();
    ::waitpid(pid_, nullptr, 0);
  }

  std::optional<int> ended() override {
    const std::lock_guard guard(mutex_);
    if (ended_) return ended_;
    int status = 0;
    const pid_t found = ::waitpid(pid_, &status, WNOHANG);
    if (found == pid_) ended_ = WIFSIGNALED(status) ? cli::kSignalBase + WTERMSIG(status) : WEXITSTATUS(status);
    if (found < 0) ended_ = cli::kInternalError;  // somebody else took the news
    return ended_;
  }
  void kill() override {
    const std::lock_guard guard(mutex_);
    if (!ended_) ::kill(pid_, SIGKILL);
  }

 private:
  std::mutex mutex_;  // the watchdog kills, the main thread waits: never a process that has the number after ours
  pid_t pid_;
  std::optional<int> ended_;
};

class ThreadHost final : public PlantHost {
 public:
  ThreadHost(std::shared_ptr<const LoadedRig> rig, const PlantRunOptions& options, rt::PlantMemory& memory)
      : code_(std::make_shared<std::atomic<int>>(kRunning)),
        thread_([rig = std::move(rig), options, &memory, code = code_] {
          const int result = run_plant(*rig, options, memory);
          code->store(result, std::memory_order_release);  // after all that the plant wrote
        }) {}
  ~ThreadHost() override { left_behind_.load() && !ThreadHost::ended() ? thread_.detach() : thread_.join(); }

  std::optional<int> ended() override {
    const int code = code_->load(std::memory_order_acquire);
    return code == kRunning ? std::nullopt : std::optional(code);
  }
  void kill() override { left_behind_.store(true); }

 private:
  static constexpr int kRunning = -1;
  std::atomic<bool> left_behind_{false};
  std::shared_ptr<std::atomic<int>> code_;
  std::thread thread_;
};

}  // namespace

Result<std::unique_ptr<PlantHost>> spawn_process(const std::filesystem::path& rig_file, const PlantRunOptions& options,
                                                 const rt::SharedMemory& memory) {
  std::vector<std::string> arguments = {"kinloop", "plant", rig_file.string()};
  if (options.degraded == Degraded::kAllowed) arguments.emplace_back("--allow-degraded");
  if (options.journal == rt::Journal::kKept) arguments.emplace_back("--journal");
  std::vector<char*> argv;
  argv.reserve(arguments.size() + 1);
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);

  // Ctrl-C goes to the whole group; until the plant ignores it, it is held back.
  sigset_t held_back;
  sigemptyset(&held_back);
  for (const int number : {SIGINT, SIGUSR1}) sigaddset(&held_back, number);
  sigset_t usual;
  sigemptyset(&usual);
  sigaddset(&usual, SIGPIPE);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  ::posix_spawnattr_setsigmask(&attributes, &held_back);
  ::posix_spawnattr_setsigdefault(&attributes, &usual);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, memory.descriptor(), kMemoryDescriptor);
  pid_t pid = 0;
  const int error = ::posix_spawn(&pid, "/proc/self/exe", &actions, &attributes, argv.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  if (error != 0) return Error{"plant", std::string("its process cannot be started: ") + std::strerror(error)};
  return std::unique_ptr<PlantHost>(std::make_unique<ProcessHost>(pid));
}

std::unique_ptr<PlantHost> start_thread(std::shared_ptr<const LoadedRig> rig, const PlantRunOptions& options,
                                        rt::PlantMemory& memory) {
  return std::make_unique<ThreadHost>(std::move(rig), options, memory);
}

}  // namespace kinloop::run
