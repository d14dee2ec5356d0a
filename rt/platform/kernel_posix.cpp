// Linux: every thread is as real-time as its priority.
#include "rt/platform/linux_calls.hpp"
#include "rt/platform/platform.hpp"

namespace kinloop::rt::platform {

std::string_view name() noexcept { return "Linux"; }

void prepare_process() noexcept {}
std::string_view obstacle() noexcept { return ""; }
int promote(int priority) noexcept { return set_fifo_priority(priority); }

void sleep_until(std::int64_t time_ns) noexcept { linux_sleep_until(time_ns); }

void wake(std::atomic<std::uint32_t>& word) noexcept { futex_wake(word); }

void sleep_while(std::atomic<std::uint32_t>& word, std::uint32_t value, std::int64_t max_ns) noexcept {
  futex_wait(word, value, max_ns);
}

}  // namespace kinloop::rt::platform
