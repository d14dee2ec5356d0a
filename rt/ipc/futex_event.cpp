// Counts signals; the platform's futex makes sleepers wait and wakes them.
#include "rt/ipc/futex_event.hpp"

#include <thread>

#include "rt/platform/platform.hpp"

namespace kinloop::rt {

namespace {

constexpr int kLooksBetweenTimes = 16;
const bool kHasOtherCores = std::thread::hardware_concurrency() > 1;

constexpr std::uint64_t kSleeps = std::uint64_t{1} << 32U;

}  // namespace

void FutexEvent::notify() noexcept {
  // Sequentially consistent, as is the sleeper's pair: either it sees the new count, or this sees the sleeper.
  const std::uint32_t count = count_.fetch_add(1, std::memory_order_seq_cst) + 1;
  std::uint64_t sleeper = sleeper_.load(std::memory_order_seq_cst);
  // One that has seen this very count waits for the next: taking its mark back would let it sleep through that.
  if ((sleeper & kSleeps) == 0 || static_cast<std::uint32_t>(sleeper) == count) return;
  sleeper_.compare_exchange_strong(sleeper, 0, std::memory_order_seq_cst);
  platform::wake(count_);
}

bool FutexEvent::spin_wait(std::uint32_t seen, std::int64_t max_ns) const noexcept {
  if (!kHasOtherCores) return false;
  const std::int64_t until_ns = platform::now_ns() + max_ns;
  do {
    for (int i = 0; i < kLooksBetweenTimes; ++i) {
      if (count_.load(std::memory_order_acquire) != seen) return true;
      platform::relax();
    }
  } while (platform::now_ns() < until_ns);
  return false;
}

bool FutexEvent::wait(std::uint32_t seen, std::int64_t max_ns) noexcept {
  sleeper_.store(kSleeps | seen, std::memory_order_seq_cst);
  if (count_.load(std::memory_order_seq_cst) != seen) return true;
  platform::sleep_while(count_, seen, max_ns);
  return count_.load(std::memory_order_acquire) != seen;
}

}  // namespace kinloop::rt
