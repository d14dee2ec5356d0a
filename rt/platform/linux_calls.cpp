// Clock, sleep, priority and futex of Linux.
#include "rt/platform/linux_calls.hpp"

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>

#include "rt/platform/platform.hpp"

namespace kinloop::rt::platform {
namespace {

long futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value, const timespec* timeout) noexcept {
  static_assert(sizeof(word) == sizeof(std::uint32_t));
  return ::syscall(SYS_futex, &word, operation, value, timeout, nullptr, 0);
}

}  // namespace

std::int64_t now_ns() noexcept {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);  // reads memory that the kernel shares: no system call
  return now.tv_sec * kSecond_ns + now.tv_nsec;
}

int set_fifo_priority(int priority) noexcept {
  sched_param parameters{};
  parameters.sched_priority = priority;
  return ::pthread_setschedparam(::pthread_self(), SCHED_FIFO, &parameters);
}

void linux_sleep_until(std::int64_t time_ns) noexcept {
  const timespec until{time_ns / kSecond_ns, time_ns % kSecond_ns};  // absolute: what was late does not add up
  while (::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == EINTR) {
  }
}

void futex_wake(std::atomic<std::uint32_t>& word) noexcept { futex(word, FUTEX_WAKE, 1, nullptr); }

void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t value, std::int64_t max_ns) noexcept {
  const timespec timeout{max_ns / kSecond_ns, max_ns % kSecond_ns};
  futex(word, FUTEX_WAIT, value, &timeout);
}

}  // namespace kinloop::rt::platform
