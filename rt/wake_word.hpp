// Owns WakeWord: how one process wakes another that waits for news in shared memory.
//
// Waking costs a system call only where somebody sleeps. News that arrive between looking and sleeping are not missed:
// the sleeper names the count it has seen, and the kernel lets it sleep only if that is still the count.
#pragma once

#include <atomic>
#include <cstdint>

namespace kinloop::rt {

class WakeWord {
 public:
  /// There are news. At most one system call; wakes one sleeper.
  void notify() noexcept;

  /// To be read before looking for news.
  std::uint32_t seen() const noexcept { return count_.load(std::memory_order_acquire); }

  /// Looks for news beyond `seen` without sleeping, for who has a step's worth of time: sleeping and being woken take
  /// longer. Nothing where there is but one core: who should bring the news would have to wait. True if there are news.
  bool look_out(std::uint32_t seen, std::int64_t most_ns) const noexcept;

  /// Sleeps until there are news beyond `seen`, a signal arrives or the time is over. Returns whether there are news.
  bool wait(std::uint32_t seen, std::int64_t most_ns) noexcept;

 private:
  std::atomic<std::uint32_t> count_{0};
  // The count that a sleeper has seen, and a bit that says there is one. Set by the sleeper, taken back by who wakes
  // it: right even if one is killed.
  std::atomic<std::uint64_t> sleeper_{0};
};

}  // namespace kinloop::rt
