// Owns FutexEvent: signals between processes through a counter in shared memory, on which a waiter spins or sleeps.
//
// Waking costs a system call only where somebody sleeps. A signal between looking and sleeping is not missed:
// the sleeper names the count it has seen, and the kernel lets it sleep only if that is still the count.
#pragma once

#include <atomic>
#include <cstdint>

namespace kinloop::rt {

class FutexEvent {
 public:
  /// Signals. At most one system call; wakes one sleeper.
  void notify() noexcept;

  /// The count of signals, to be read before looking at what they announce.
  std::uint32_t seen() const noexcept { return count_.load(std::memory_order_acquire); }

  /// Waits for a signal after `seen` without sleeping, for who has a step's worth of time: sleeping and being woken
  /// take longer. Returns at once where there is one core only: who is to signal would have to wait. True if signalled.
  bool spin_wait(std::uint32_t seen, std::int64_t max_ns) const noexcept;

  /// Sleeps until it is signalled after `seen`, a POSIX signal arrives or the time is over. Returns whether signalled.
  bool wait(std::uint32_t seen, std::int64_t max_ns) noexcept;

 private:
  std::atomic<std::uint32_t> count_{0};
  // The count that a sleeper has seen, and a bit that says there is one. Set by the sleeper, taken back by who wakes
  // it: right even if one is killed.
  std::atomic<std::uint64_t> sleeper_{0};
};

}  // namespace kinloop::rt
