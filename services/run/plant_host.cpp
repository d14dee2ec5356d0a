// posix_spawn, and std::thread.
#include "services/run/plant_host.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

namespace kinloop::run {
namespace {

constexpr int kSignalBase = 128;  // what shells add to the signal that ended a program

class ProcessHost final : public PlantHost {
 public:
  explicit ProcessHost(pid_t pid) noexcept : pid_(pid) {}
  ~ProcessHost() override {
    if (ended_) return;
    ProcessHost::kill();
    ::waitpid(pid_, nullptr, 0);
  }

  std::optional<int> ended() override {
    int status = 0;
    if (!ended_ && ::waitpid(pid_, &status, WNOHANG) == pid_) {
      ended_ = WIFSIGNALED(status) ? kSignalBase + WTERMSIG(status) : WEXITSTATUS(status);
    }
    return ended_;
  }
  void kill() override {
    if (!ended_) ::kill(pid_, SIGKILL);
  }

 private:
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
  ~ThreadHost() override {
    if (thread_.joinable()) thread_.join();
  }

  std::optional<int> ended() override {
    const int code = code_->load(std::memory_order_acquire);
    return code == kRunning ? std::nullopt : std::optional(code);
  }
  void kill() override {
    if (!ended() && thread_.joinable()) thread_.detach();
  }

 private:
  static constexpr int kRunning = -1;
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
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, memory.descriptor(), kMemoryDescriptor);
  pid_t pid = 0;
  const int error = ::posix_spawn(&pid, "/proc/self/exe", &actions, nullptr, argv.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return Error{"plant", std::string("its process cannot be started: ") + std::strerror(error)};
  return std::unique_ptr<PlantHost>(std::make_unique<ProcessHost>(pid));
}

std::unique_ptr<PlantHost> start_thread(std::shared_ptr<const LoadedRig> rig, const PlantRunOptions& options,
                                        rt::PlantMemory& memory) {
  return std::make_unique<ThreadHost>(std::move(rig), options, memory);
}

}  // namespace kinloop::run
