// Scheduling class, affinity, locked memory and wake-up latency, each with what the kernel refused.
#include "rt/loop/thread_setup.hpp"

#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "rt/platform/platform.hpp"

namespace kinloop::rt {
namespace {

std::string because(const std::string& what, int error) { return what + ": " + std::strerror(error); }

/// Touches the stack below this frame, page by page.
[[gnu::noinline]] void touch_stack(std::size_t bytes) {
  constexpr std::size_t kPiece = 16384;
  std::array<volatile char, kPiece> piece;
  for (std::size_t i = 0; i < kPiece; i += 1024) piece[i] = 0;
  if (bytes > kPiece) touch_stack(bytes - kPiece);
  piece[0] = piece[kPiece - 1024];  // after the call, so that it is not turned into a loop over one piece
}

}  // namespace

ThreadSetup::ThreadSetup(const ThreadWishes& wishes) {
  // Memory first: what follows then allocates and touches locked pages.
  if (wishes.locked_memory) lock_memory();
  if (wishes.stack_bytes > 0) {
    rlimit stack{};
    ::getrlimit(RLIMIT_STACK, &stack);
    const std::size_t most = stack.rlim_cur == RLIM_INFINITY ? SIZE_MAX : static_cast<std::size_t>(stack.rlim_cur) / 2;
    touch_stack(std::min(wishes.stack_bytes, most));
  }
  if (wishes.awake_processors) hold_latency();
  if (wishes.core >= 0) set_core(wishes.core);
  if (wishes.priority > 0) set_priority(wishes);
}

ThreadSetup::~ThreadSetup() {
  if (latency_file_ >= 0) ::close(latency_file_);
}

void ThreadSetup::set_priority(const ThreadWishes& wishes) {
  const std::string_view obstacle = wishes.promoted ? platform::obstacle() : "";
  if (!obstacle.empty()) {
    refusals_.push_back({std::string(platform::name()) + ": " + std::string(obstacle),
                         "boot a kernel with Cobalt, or build with -DKINLOOP_RT=posix"});
  }
  const bool promoted = wishes.promoted && obstacle.empty();
  const int error = promoted ? platform::promote(wishes.priority) : platform::set_fifo_priority(wishes.priority);
  if (error == 0) return;
  refusals_.push_back({because("SCHED_FIFO priority " + std::to_string(wishes.priority), error), kPermitCommand});
}

void ThreadSetup::set_core(int core) {
  const std::string what = "core " + std::to_string(core);
  if (core >= CPU_SETSIZE) {
    refusals_.push_back({because(what, EINVAL), "lscpu --extended"});
    return;
  }
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(core), &set);
  const int error = ::pthread_setaffinity_np(::pthread_self(), sizeof set, &set);
  if (error != 0) refusals_.push_back({because(what, error), "lscpu --extended"});
}

void stay_off_core(int core) noexcept {
  cpu_set_t set;
  if (core < 0 || core >= CPU_SETSIZE || ::pthread_getaffinity_np(::pthread_self(), sizeof set, &set) != 0) return;
  CPU_CLR(static_cast<std::size_t>(core), &set);
  if (CPU_COUNT(&set) > 0) ::pthread_setaffinity_np(::pthread_self(), sizeof set, &set);
}

void ThreadSetup::lock_memory() {
  // Freed memory stays ours and no block gets a mapping of its own: both would fault later.
  ::mallopt(M_TRIM_THRESHOLD, -1);
  ::mallopt(M_MMAP_MAX, 0);
  if (::mlockall(MCL_CURRENT | MCL_FUTURE) != 0) refusals_.push_back({because("locked memory", errno), kPermitCommand});
}

void ThreadSetup::hold_latency() {
  latency_file_ = ::open("/dev/cpu_dma_latency", O_WRONLY | O_CLOEXEC);
  constexpr std::int32_t kNone_us = 0;
  // The kernel keeps to it as long as the file is open.
  if (latency_file_ >= 0 && ::write(latency_file_, &kNone_us, sizeof kNone_us) == sizeof kNone_us) return;
  refusals_.push_back({because("/dev/cpu_dma_latency", errno),
                       "chgrp \"$(id -gn)\" /dev/cpu_dma_latency && chmod g+w "
                       "/dev/cpu_dma_latency"});
}

}  // namespace kinloop::rt
