// Owns child processes of the supervisor: this program's own file, with the plant's memory handed over.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "rt/loop/memory_files.hpp"

namespace kinloop::run {

/// In the child, which writes to the file of `owner`: what the supervisor handed over; an error where this is no child
/// of a supervisor of this version.
Result<rt::MemoryFiles> inherited_memory(rt::MemoryOwner owner);

/// Names the files for other processes of this user, in the file `memory` of a run directory, one a line.
std::string memory_text(const rt::MemoryFiles& files);

class ChildProcess {
 public:
  /// By posix_spawn, never by fork: pages shared for copying would fault in the plant. `arguments` follow the program's
  /// name. SIGINT, SIGUSR1 and SIGUSR2 are held back until the child has decided about them. It can write to the file
  /// of `owner`, and read the others.
  static Result<ChildProcess> spawn(std::vector<std::string> arguments, const rt::MemoryFiles& memory,
                                    rt::MemoryOwner owner);

  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&&) = delete;
  /// Kills it and waits for some seconds at most, if it has not ended.
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

/// Who tells a child to end.
enum class EndedBy { kSupervisor, kDeathOfSupervisor, kSomebodyElse };

/// In the child, one at a time: leaves signals of the terminal to the supervisor, and is told by SIGTERM when that one
/// dies.
class SupervisorFollower {
 public:
  /// `name` is for ps and top; `on_end` is called by the handler of that signal. The memory must outlive this.
  SupervisorFollower(const char* name, void (*on_end)(EndedBy), const rt::PlantMemory& memory);
  SupervisorFollower(const SupervisorFollower&) = delete;
  SupervisorFollower& operator=(const SupervisorFollower&) = delete;
  /// From here on the signal just ends the process.
  ~SupervisorFollower();
};

}  // namespace kinloop::run
