// Owns child processes of the supervisor: this program's own file, with the plant's memory handed over.
#pragma once

#include <sys/types.h>

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "rt/ipc/shared_memory.hpp"
#include "rt/loop/plant_memory.hpp"

namespace kinloop::run {

/// The descriptor under which a child finds the memory.
inline constexpr int kMemoryDescriptor = 3;

/// What the supervisor handed over; an error where this is no child of a supervisor of this version.
Result<rt::SharedMemory> open_plant_memory(int descriptor);

class ChildProcess {
 public:
  /// By posix_spawn, never by fork: pages shared for copying would fault in the plant. `arguments` follow the program's
  /// name. SIGINT, SIGUSR1 and SIGUSR2 are held back until the child has decided about them.
  static Result<ChildProcess> spawn(std::vector<std::string> arguments, const rt::SharedMemory& memory);

  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&&) = delete;
  /// Kills it and waits, if it has not ended.
  ~ChildProcess();

  /// How it ended, if it has: exit codes, or 128 plus the signal that killed it.
  std::optional<int> ended();
  /// From any thread.
  void send(int signal);

 private:
  explicit ChildProcess(pid_t pid) noexcept : pid_(pid) {}

  std::mutex mutex_;  // one thread kills, another waits: never a process that has the number after ours
  pid_t pid_;         // 0: moved from
  std::optional<int> ended_;
};

/// In the child: leaves signals of the terminal to the supervisor, and is told by SIGTERM when that one dies. `name` is
/// for ps and top.
void follow_supervisor(const char* name, void (*on_end)(int), rt::PlantMemory& memory);

}  // namespace kinloop::run
