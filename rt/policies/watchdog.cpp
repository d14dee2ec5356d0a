// Trips where the count of iterations stands still for too long.
#include "rt/policies/watchdog.hpp"

#include <algorithm>

namespace kinloop::rt {

Health Watchdog::look(const Heartbeat& heartbeat, std::int64_t now_ns) noexcept {
  if (tripped_) return Health::kTripped;
  // Relaxed: each word stands for itself.
  const bool running = heartbeat.running.load(std::memory_order_relaxed) != 0;
  const std::uint64_t iterations = heartbeat.iterations.load(std::memory_order_relaxed);
  const bool may_wait = mode_ == Mode::kLockstep && heartbeat.in_tick.load(std::memory_order_relaxed) == 0;
  const std::int64_t beat_ns = heartbeat.beat_ns.load(std::memory_order_relaxed);
  // The time of the beat itself, so that a trip comes no later than one look after the bound.
  if (iterations != last_iterations_) last_sign_ns_ = std::min(beat_ns, now_ns);
  if (!running || !watching_ || may_wait) last_sign_ns_ = now_ns;
  watching_ = running;
  last_iterations_ = iterations;
  silent_ns_ = now_ns - last_sign_ns_;
  if (!running) return Health::kNotRunning;
  tripped_ = silent_ns_ > timeout_ns_;
  return tripped_ ? Health::kTripped : Health::kHealthy;
}

}  // namespace kinloop::rt
