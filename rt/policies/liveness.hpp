// Owns the signs of life of those above the plant, and what the plant makes of their absence.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace kinloop::rt {

/// When each last went round its main loop, on the clock; 0: never. Each is written by that process alone.
struct SignsOfLife {
  std::atomic<std::int64_t> supervisor_ns{0};
  std::atomic<std::int64_t> io_ns{0};
};

/// Whether there was somebody, and none of them has shown life for longer than the timeout; never with a timeout of 0.
inline bool is_abandoned(const SignsOfLife& life, std::int64_t now_ns, std::int64_t timeout_ns) noexcept {
  // Relaxed: each stands for itself.
  const std::int64_t last_ns =
      std::max(life.supervisor_ns.load(std::memory_order_relaxed), life.io_ns.load(std::memory_order_relaxed));
  return timeout_ns > 0 && last_ns != 0 && now_ns - last_ns > timeout_ns;
}

}  // namespace kinloop::rt
