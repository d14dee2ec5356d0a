// Futexes that work between processes.
#include "rt/wake_word.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <ctime>

namespace kinloop::rt {
namespace {

long futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value, const timespec* timeout) noexcept {
  static_assert(sizeof(word) == sizeof(std::uint32_t));
  return ::syscall(SYS_futex, &word, operation, value, timeout, nullptr, 0);
}

}  // namespace

void WakeWord::notify() noexcept {
  // Sequentially consistent, as is the sleeper's pair: either it sees the new count, or this sees the sleeper.
  count_.fetch_add(1, std::memory_order_seq_cst);
  if (sleepers_.exchange(0, std::memory_order_seq_cst) != 0) futex(count_, FUTEX_WAKE, 1, nullptr);
}

bool WakeWord::wait(std::uint32_t seen, std::int64_t most_ns) noexcept {
  sleepers_.store(1, std::memory_order_seq_cst);
  if (count_.load(std::memory_order_seq_cst) != seen) return true;
  constexpr std::int64_t kSecond_ns = 1'000'000'000;
  const timespec timeout{most_ns / kSecond_ns, most_ns % kSecond_ns};
  futex(count_, FUTEX_WAIT, seen, &timeout);
  return count_.load(std::memory_order_acquire) != seen;
}

}  // namespace kinloop::rt
