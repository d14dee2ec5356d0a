// Calls that both kernels have by the same name.
#include <pthread.h>
#include <sched.h>

#include <cerrno>
#include <ctime>

#include "rt/platform/platform.hpp"

namespace kinloop::rt::platform {
namespace {

constexpr std::int64_t kSecond_ns = 1'000'000'000;

}  // namespace

std::int64_t now_ns() noexcept {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * kSecond_ns + now.tv_nsec;
}

void sleep_until(std::int64_t time_ns) noexcept {
  const timespec until{time_ns / kSecond_ns, time_ns % kSecond_ns};  // absolute: what was late does not add up
  while (::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == EINTR) {
  }
}

int set_fifo_priority(int priority) noexcept {
  sched_param parameters{};
  parameters.sched_priority = priority;
  return ::pthread_setschedparam(::pthread_self(), SCHED_FIFO, &parameters);
}

}  // namespace kinloop::rt::platform
