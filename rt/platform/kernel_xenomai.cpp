// Xenomai 3 Cobalt: the plant's thread must not call Linux, so nobody is woken; sleepers look again by themselves.
#include <algorithm>

#include "rt/platform/platform.hpp"

namespace kinloop::rt::platform {

std::string_view name() noexcept { return "Xenomai 3 Cobalt"; }

void wake(std::atomic<std::uint32_t>& /*word*/) noexcept {}

void sleep_while(std::atomic<std::uint32_t>& word, std::uint32_t value, std::int64_t max_ns) noexcept {
  constexpr std::int64_t kBetweenLooks_ns = 200'000;
  const std::int64_t end_ns = now_ns() + max_ns;
  // Acquire: what was written before the word changed is seen by whoever sees the change.
  for (std::int64_t next_ns = now_ns(); next_ns < end_ns && word.load(std::memory_order_acquire) == value;) {
    next_ns = std::min(next_ns + kBetweenLooks_ns, end_ns);
    sleep_until(next_ns);
  }
}

}  // namespace kinloop::rt::platform
