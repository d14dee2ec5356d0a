// Owns PlantRunner: runs a plant in a process of its own, or in a thread of this one.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "rt/loop/memory_files.hpp"
#include "services/run/plant_run.hpp"

namespace kinloop::run {

class PlantRunner {
 public:
  PlantRunner() = default;
  PlantRunner(const PlantRunner&) = delete;
  PlantRunner& operator=(const PlantRunner&) = delete;
  virtual ~PlantRunner() = default;

  /// How it ended, if it has: exit codes, or 128 plus the signal that killed it.
  virtual std::optional<int> ended() = 0;
  /// At once, whatever it does; from any thread. A thread cannot be ended from outside: it is left behind.
  virtual void kill() = 0;
};

/// The process ends with this one.
Result<std::unique_ptr<PlantRunner>> spawn_process(const std::filesystem::path& rig_file,
                                                   const PlantRunOptions& options, const rt::MemoryFiles& memory);

/// The same code as a thread. What is given must outlive the process where a thread is left behind.
std::unique_ptr<PlantRunner> start_thread(std::shared_ptr<const LoadedRig> rig, const std::filesystem::path& rig_file,
                                          const PlantRunOptions& options, rt::PlantMemory& memory);

}  // namespace kinloop::run
