// Owns the count of what the kernel did to the calling thread.
#pragma once

#include "rt/loop/loop_status.hpp"

namespace kinloop::rt {

/// Since the thread began. One system call.
ThreadUsage thread_usage() noexcept;

constexpr ThreadUsage operator-(const ThreadUsage& a, const ThreadUsage& b) noexcept {
  return {a.minor_faults - b.minor_faults, a.major_faults - b.major_faults, a.waits - b.waits,
          a.preemptions - b.preemptions};
}

}  // namespace kinloop::rt
