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
  const std::uint32_t count = written_.count.fetch_add(1, std::memory_order_seq_cst) + 1;
  const std::uint64_t sleeper = read_.sleeper.load(std::memory_order_seq_cst);
  // One that has seen this very count waits for the next.
  if ((sleeper & kSleeps) == 0 || static_cast<std::uint32_t>(sleeper) == count) return;
  // The count that it has seen is over: nobody can fall asleep with this mark any more.
  if (written_.woken.load(std::memory_order_relaxed) == sleeper) return;
  platform::wake(written_.count);
  written_.woken.store(sleeper, std::memory_order_relaxed);  // for who signals alone
}

bool FutexEvent::spin_wait(std::uint32_t seen, std::int64_t max_ns) const noexcept {
  if (!kHasOtherCores) return false;
  const std::int64_t until_ns = platform::now_ns() + max_ns;
  do {
    for (int i = 0; i < kLooksBetweenTimes; ++i) {
      if (written_.count.load(std::memory_order_acquire) != seen) return true;
      platform::relax();
    }
  } while (platform::now_ns() < until_ns);
  return false;
}

bool FutexEvent::wait(std::uint32_t seen, std::int64_t max_ns) noexcept {
  read_.sleeper.store(kSleeps | seen, std::memory_order_seq_cst);
  if (written_.count.load(std::memory_order_seq_cst) != seen) return true;
  platform::sleep_while(written_.count, seen, max_ns);
  return written_.count.load(std::memory_order_acquire) != seen;
}

}  // namespace kinloop::rt
