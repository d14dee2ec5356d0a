// Linux: futexes wake sleepers in other processes.
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <ctime>

#include "rt/platform/platform.hpp"

namespace kinloop::rt::platform {
namespace {

long futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value, const timespec* timeout) noexcept {
  static_assert(sizeof(word) == sizeof(std::uint32_t));
  return ::syscall(SYS_futex, &word, operation, value, timeout, nullptr, 0);
}

}  // namespace

std::string_view name() noexcept { return "Linux"; }

void wake(std::atomic<std::uint32_t>& word) noexcept { futex(word, FUTEX_WAKE, 1, nullptr); }

void sleep_while(std::atomic<std::uint32_t>& word, std::uint32_t value, std::int64_t max_ns) noexcept {
  constexpr std::int64_t kSecond_ns = 1'000'000'000;
  const timespec timeout{max_ns / kSecond_ns, max_ns % kSecond_ns};
  futex(word, FUTEX_WAIT, value, &timeout);
}

}  // namespace kinloop::rt::platform
