// Absolute sleeps: what a step was late by does not add up.
#include "rt/clock.hpp"

#include <cerrno>
#include <ctime>

namespace kinloop::rt {
namespace {

constexpr std::int64_t kSecond_ns = 1'000'000'000;

}  // namespace

std::int64_t MonotonicClock::now_ns() const noexcept {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * kSecond_ns + now.tv_nsec;
}

void MonotonicClock::sleep_until(std::int64_t time_ns) noexcept {
  const timespec until{time_ns / kSecond_ns, time_ns % kSecond_ns};
  while (::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == EINTR) {
  }
}

}  // namespace kinloop::rt
