// A child process, or a std::thread.
#include "services/run/plant_runner.hpp"

#include <atomic>
#include <csignal>
#include <string>
#include <thread>
#include <vector>

#include "services/run/child_process.hpp"

namespace kinloop::run {
namespace {

class ProcessRunner final : public PlantRunner {
 public:
  explicit ProcessRunner(ChildProcess child) : child_(std::move(child)) {}

  std::optional<int> ended() override { return child_.ended(); }
  void kill() override { child_.send(SIGKILL); }

 private:
  ChildProcess child_;
};

class ThreadRunner final : public PlantRunner {
 public:
  ThreadRunner(std::shared_ptr<const LoadedRig> rig, const std::filesystem::path& rig_file,
               const PlantRunOptions& options, rt::PlantMemory& memory)
      : code_(std::make_shared<std::atomic<int>>(kRunning)),
        thread_([rig = std::move(rig), rig_file, options, &memory, code = code_] {
          const int result = run_plant(*rig, rig_file, options, memory);
          code->store(result, std::memory_order_release);  // after all that the plant wrote
        }) {}
  ~ThreadRunner() override { left_behind_.load() && !ThreadRunner::ended() ? thread_.detach() : thread_.join(); }

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

Result<std::unique_ptr<PlantRunner>> spawn_process(const std::filesystem::path& rig_file,
                                                   const PlantRunOptions& options, const rt::MemoryFiles& memory) {
  std::vector<std::string> arguments = {"plant", rig_file.string()};
  if (options.degraded == Degraded::kAllowed) arguments.emplace_back("--allow-degraded");
  if (options.journal == rt::Journal::kKept) arguments.emplace_back("--journal");
  if (options.begins_paused) arguments.emplace_back("--wait");
  auto child = ChildProcess::spawn(std::move(arguments), memory, rt::MemoryOwner::kPlant);
  if (!child) return child.error();
  return std::unique_ptr<PlantRunner>(std::make_unique<ProcessRunner>(std::move(child).value()));
}

std::unique_ptr<PlantRunner> start_thread(std::shared_ptr<const LoadedRig> rig, const std::filesystem::path& rig_file,
                                          const PlantRunOptions& options, rt::PlantMemory& memory) {
  return std::make_unique<ThreadRunner>(std::move(rig), rig_file, options, memory);
}

}  // namespace kinloop::run
