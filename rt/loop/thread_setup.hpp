// Owns the set-up of a real-time thread: priority, core, locked and prefaulted memory, processors kept out of deep
// sleep.
//
// Each wish is granted or refused on its own. What to do about a refusal is the caller's choice; it is told the exact
// command that would grant it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace kinloop::rt {

/// Permits priorities and locked memory to the installed program, for whoever runs it.
inline constexpr const char* kPermitCommand =
    "setcap cap_sys_nice,cap_ipc_lock+ep \"$(readlink -f \"$(command -v kinloop)\")\"";

struct ThreadWishes {
  int priority = 0;               // SCHED_FIFO, 1 to 99; 0: ordinary scheduling
  bool promoted = false;          // the priority is one of the real-time kernel that the program was built for
  int core = -1;                  // to stay on; -1: any
  bool locked_memory = false;     // all pages of the process, those to come included
  std::size_t stack_bytes = 0;    // touched now, so that no later call faults; at most half of the stack's limit
  bool awake_processors = false;  // holds /dev/cpu_dma_latency at zero
};

/// A wish that was not granted.
struct Refusal {
  std::string what;  // "SCHED_FIFO priority 80: Operation not permitted"
  std::string fix;   // a command for root
};

/// Sets up the calling thread, and holds what must be held open.
class ThreadSetup {
 public:
  explicit ThreadSetup(const ThreadWishes& wishes);
  ThreadSetup(const ThreadSetup&) = delete;
  ThreadSetup& operator=(const ThreadSetup&) = delete;
  ~ThreadSetup();

  /// Empty where everything was granted.
  const std::vector<Refusal>& refusals() const noexcept { return refusals_; }

 private:
  void set_priority(const ThreadWishes& wishes);
  void set_core(int core);
  void lock_memory();
  void hold_latency();

  std::vector<Refusal> refusals_;
  int latency_file_ = -1;
};

/// Keeps the calling thread, and those it makes from now on, off a core, as far as there are others. -1: none.
void stay_off_core(int core) noexcept;

}  // namespace kinloop::rt
