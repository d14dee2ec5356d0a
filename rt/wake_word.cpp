// Counts, and lets the platform wake.
#include "rt/wake_word.hpp"

#include "rt/platform/platform.hpp"

namespace kinloop::rt {

void WakeWord::notify() noexcept {
  // Sequentially consistent, as is the sleeper's pair: either it sees the new count, or this sees the sleeper.
  count_.fetch_add(1, std::memory_order_seq_cst);
  if (sleepers_.exchange(0, std::memory_order_seq_cst) != 0) platform::wake(count_);
}

bool WakeWord::wait(std::uint32_t seen, std::int64_t most_ns) noexcept {
  sleepers_.store(1, std::memory_order_seq_cst);
  if (count_.load(std::memory_order_seq_cst) != seen) return true;
  platform::sleep_while(count_, seen, most_ns);
  return count_.load(std::memory_order_acquire) != seen;
}

}  // namespace kinloop::rt
