// Owns MemoryFiles: the three memory files of a plant, and the view of them that suits a process.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "core/base/result.hpp"
#include "rt/ipc/shared_memory.hpp"
#include "rt/loop/plant_memory.hpp"

namespace kinloop::rt {

/// Whose file it is; in the order in which descriptors are handed over.
enum class MemoryOwner : std::uint32_t { kSupervisor, kPlant, kIo };
inline constexpr std::size_t kMemoryFiles = 3;
using MemoryDescriptors = std::array<int, kMemoryFiles>;

class MemoryFiles {
 public:
  /// Whether this process writes to its own file alone, or to all: it is plant and io as well.
  enum class Processes { kSeparate, kOne };

  /// By the supervisor: for states of so many doubles.
  static Result<MemoryFiles> create(const std::string& name, std::size_t state_size, Processes processes);
  /// By another process, which writes to the file of `owner` alone. All sizes are checked, against one reading of what
  /// the supervisor wrote. Takes the descriptors over; after an error they are of no use.
  static Result<MemoryFiles> open(const MemoryDescriptors& descriptors, MemoryOwner owner);

  /// Refers to the mappings, so it stays where it is when this is moved.
  PlantMemory& memory() const noexcept { return *view_; }
  const SharedMemory& file(MemoryOwner owner) const noexcept { return files_[static_cast<std::size_t>(owner)]; }

 private:
  MemoryFiles(std::vector<SharedMemory> files, std::size_t state_size);

  std::vector<SharedMemory> files_;  // of each owner
  std::unique_ptr<PlantMemory> view_;
};

}  // namespace kinloop::rt
