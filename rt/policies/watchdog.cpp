// Trips where the count of iterations stands still for too long.
#include "rt/policies/watchdog.hpp"

#include <algorithm>

namespace kinloop::rt {

Health Watchdog::look(const Heartbeat& heartbeat, std::int64_t now_ns, CpuTime& cpu) noexcept {
  if (tripped_) return Health::kTripped;
  // Relaxed: each word stands for itself.
  const bool running = heartbeat.running.load(std::memory_order_relaxed) != 0;
  const std::uint64_t iterations = heartbeat.iterations.load(std::memory_order_relaxed);
  const std::int64_t beat_ns = heartbeat.beat_ns.load(std::memory_order_relaxed);
  const std::int64_t since_look_ns = now_ns - last_look_ns_;
  last_look_ns_ = now_ns;
  // A machine that stood still, or another who had the processor, is not the plant's fault.
  standstill_ns_ += std::min(since_look_ns, 2 * period_ns_);
  const bool goes_on = iterations != last_iterations_ || !running || !watching_;
  // The time of the beat itself, so that a trip comes no later than one look after the bound.
  if (iterations != last_iterations_) last_sign_ns_ = std::min(beat_ns, now_ns);
  if (!running || !watching_) last_sign_ns_ = now_ns;
  if (goes_on) {
    standstill_ns_ = 0;
    suspect_cpu_ns_ = -1;
  }
  watching_ = running;
  last_iterations_ = iterations;
  silent_ns_ = now_ns - last_sign_ns_;
  if (!running) return Health::kNotRunning;
  tripped_ = silent_ns_ > timeout_ns_ && (mode_ == Mode::kRealTime || is_lost(cpu));
  return tripped_ ? Health::kTripped : Health::kHealthy;
}

/// Of one that has been silent for the timeout already.
bool Watchdog::is_lost(CpuTime& cpu) noexcept {
  if (standstill_ns_ > std::max(timeout_ns_, kLongestStandstill_ns)) return true;
  const std::int64_t used_ns = cpu.used_ns();
  if (suspect_cpu_ns_ < 0) {
    suspect_cpu_ns_ = used_ns;
    return false;
  }
  return used_ns - suspect_cpu_ns_ > timeout_ns_;
}

}  // namespace kinloop::rt
