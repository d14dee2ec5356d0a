// Owns Watchdog: decides from outside whether the loop is alive.
//
// The loop counts its iterations, paused ones included. In lockstep it may wait for a command for ever: there only the
// time inside a tick counts.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "rt/policies/mode.hpp"

namespace kinloop::rt {

struct WatchdogSettings {
  double timeout_s = 0.0;  // without an iteration; 0: 10 periods, at least 50 ms
  int core = -1;           // that the watchdog stays on; -1: any but the plant's
  int priority = 90;       // SCHED_FIFO, above everything else on its core
  std::string device;      // a hardware watchdog to be petted while all is well, "/dev/watchdog"; empty: none
};

/// How the loop shows that it lives. Written by the loop, read by the watchdog, in shared memory.
struct Heartbeat {
  std::atomic<std::uint64_t> iterations{0};
  std::atomic<std::int64_t> beat_ns{0};  // when the last one began, on the clock
  std::atomic<std::uint32_t> in_tick{0};
  std::atomic<std::uint32_t> running{0};  // set when the first iteration is near, cleared at a proper end
};

enum class Health { kNotRunning, kHealthy, kTripped };

class Watchdog {
 public:
  Watchdog(Mode mode, std::int64_t timeout_ns) noexcept : mode_(mode), timeout_ns_(timeout_ns) {}

  /// Once in every watchdog period. Once tripped it stays so.
  Health look(const Heartbeat& heartbeat, std::int64_t now_ns) noexcept;

  /// How long there has been no sign of life at the last look.
  std::int64_t silent_ns() const noexcept { return silent_ns_; }

 private:
  Mode mode_;
  std::int64_t timeout_ns_;
  std::uint64_t last_iterations_ = 0;
  std::int64_t last_sign_ns_ = 0;
  std::int64_t silent_ns_ = 0;
  bool watching_ = false, tripped_ = false;
};

}  // namespace kinloop::rt
