// Owns FutexEvent: signals between processes through a counter in shared memory, on which a waiter spins or sleeps.
//
// Waking costs a system call only where somebody sleeps. A signal between looking and sleeping is not missed:
// the sleeper names the count it has seen, and the kernel lets it sleep only if that is still the count. Each side
// writes in memory of its own, which the other may have mapped for reading alone.
#pragma once

#include <atomic>
#include <cstdint>

namespace kinloop::rt {

class FutexEvent {
 public:
  /// In the memory of who signals.
  struct Written {
    alignas(64) std::atomic<std::uint32_t> count{0};
    std::atomic<std::uint64_t> woken{0};  // the mark of the sleeper that was woken last: it is woken once, even if it
                                          // is killed before it takes its mark back
  };
  /// In the memory of who waits.
  struct Read {
    // The count that a sleeper has seen, and a bit that says there is one.
    alignas(64) std::atomic<std::uint64_t> sleeper{0};
  };

  FutexEvent(Written& written, Read& read) noexcept : written_(written), read_(read) {}

  /// Signals. At most one system call; wakes one sleeper.
  void notify() noexcept;

  /// The count of signals, to be read before looking at what they announce.
  std::uint32_t seen() const noexcept { return written_.count.load(std::memory_order_acquire); }

  /// Waits for a signal after `seen` without sleeping, for who has a step's worth of time: sleeping and being woken
  /// take longer. Returns at once where there is one core only: who is to signal would have to wait. True if signalled.
  bool spin_wait(std::uint32_t seen, std::int64_t max_ns) const noexcept;

  /// Sleeps until it is signalled after `seen`, a POSIX signal arrives or the time is over. Returns whether signalled.
  /// May return for no reason: a wake-up for the sleep before may come late.
  bool wait(std::uint32_t seen, std::int64_t max_ns) noexcept;

 private:
  Written& written_;
  Read& read_;
};

}  // namespace kinloop::rt
