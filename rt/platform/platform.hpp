// Owns what differs between the kernels that Kinloop runs on. Two back ends, chosen when it is built:
//
//   posix     Linux, stock or PREEMPT_RT: kernel_posix.cpp
//   xenomai   Xenomai 3 Cobalt beside Linux: kernel_xenomai.cpp (-DKINLOOP_RT=xenomai)
//
// Under Cobalt one thread, the plant's, is promoted out of Linux's reach and then makes Cobalt's calls; all others are
// ordinary threads of Linux (linux_calls.cpp).
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

namespace kinloop::rt::platform {

/// "Linux", "Xenomai 3 Cobalt".
std::string_view name() noexcept;

/// CLOCK_MONOTONIC: settimeofday and leap seconds do not touch it.
std::int64_t now_ns() noexcept;
/// Returns then or later, at once where it is over. Signals do not end it.
void sleep_until(std::int64_t time_ns) noexcept;
/// Between two looks at memory: leaves the core's other thread more of it.
inline void relax() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}
/// SCHED_FIFO of Linux for the calling thread; 0, or why not (errno).
int set_fifo_priority(int priority) noexcept;

/// Makes promote() possible in this process: on the main thread, before others are started.
void prepare_process() noexcept;
/// Why no thread of this process can be promoted; empty where one can.
std::string_view obstacle() noexcept;
/// SCHED_FIFO for the calling thread in the kernel that the program was built for; 0, or why not (errno).
int promote(int priority) noexcept;

/// Wakes one sleeper of sleep_while(), in any process, or lets it wake up by itself soon.
void wake(std::atomic<std::uint32_t>& word) noexcept;
/// Sleeps while the word has this value, until woken, a signal arrives or the time is over; may return for no reason.
void sleep_while(std::atomic<std::uint32_t>& word, std::uint32_t value, std::int64_t max_ns) noexcept;

}  // namespace kinloop::rt::platform
