// Xenomai 3 Cobalt: the promoted thread sleeps in Cobalt and calls Linux for nothing; all others stay with Linux.
//
// The calls of Cobalt are named one by one (__RT): wrapping all of POSIX when linking would also redirect those of
// ordinary threads, which Cobalt refuses (EPERM).
#include <cobalt/pthread.h>
#include <cobalt/time.h>
#include <unistd.h>
#include <xenomai/init.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>

#include "rt/platform/linux_calls.hpp"
#include "rt/platform/platform.hpp"

namespace kinloop::rt::platform {
namespace {

const char* why_not = "prepare_process() was not called";
thread_local bool is_promoted = false;

/// Frames and heartbeats carry Cobalt's times into processes that read Linux's clock.
bool clocks_agree() noexcept {
  constexpr std::int64_t kApart_ns = 1'000'000;
  timespec cobalt{};
  if (__RT(clock_gettime)(CLOCK_MONOTONIC, &cobalt) != 0) return false;
  return std::abs(cobalt.tv_sec * kSecond_ns + cobalt.tv_nsec - now_ns()) < kApart_ns;
}

}  // namespace

std::string_view name() noexcept { return "Xenomai 3 Cobalt"; }

void prepare_process() noexcept {
  // xenomai_init() ends the process where there is no Cobalt.
  if (::access("/proc/xenomai/version", R_OK) != 0) {
    why_not = "no /proc/xenomai/version: this kernel has no Cobalt";
    return;
  }
  // Arguments of its own: it would take options such as --help out of ours.
  static std::array<char, 8> program = {"kinloop"};
  static const std::array<char*, 2> arguments = {program.data(), nullptr};
  int count = 1;
  char* const* values = arguments.data();
  ::xenomai_init(&count, &values);
  why_not = clocks_agree() ? "" : "Cobalt's clock is not Linux's: it needs a kernel with Dovetail";
}

std::string_view obstacle() noexcept { return why_not; }

int promote(int priority) noexcept {
  sched_param parameters{};
  parameters.sched_priority = priority;
  const int error = __RT(pthread_setschedparam)(::pthread_self(), SCHED_FIFO, &parameters);
  is_promoted = error == 0;
  return error;
}

void sleep_until(std::int64_t time_ns) noexcept {
  if (!is_promoted) return linux_sleep_until(time_ns);
  const timespec until{time_ns / kSecond_ns, time_ns % kSecond_ns};
  while (__RT(clock_nanosleep)(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == EINTR) {
  }
}

void wake(std::atomic<std::uint32_t>& word) noexcept {
  if (!is_promoted) futex_wake(word);  // Cobalt's thread would leave its domain: sleepers look again by themselves
}

void sleep_while(std::atomic<std::uint32_t>& word, std::uint32_t value, std::int64_t max_ns) noexcept {
  constexpr std::int64_t kBetweenLooks_ns = 200'000;
  if (!is_promoted) return futex_wait(word, value, std::min(max_ns, kBetweenLooks_ns));
  const std::int64_t end_ns = now_ns() + max_ns;
  // Acquire: what was written before the word changed is seen by whoever sees the change.
  for (std::int64_t next_ns = now_ns(); next_ns < end_ns && word.load(std::memory_order_acquire) == value;) {
    next_ns = std::min(next_ns + kBetweenLooks_ns, end_ns);
    sleep_until(next_ns);
  }
}

}  // namespace kinloop::rt::platform
