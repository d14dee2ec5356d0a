// Owns Watchdog: decides from outside whether the loop is alive.
//
// The loop counts its iterations, paused and waiting ones included. By the clock, one that is missing for too long is
// missing. In the other modes the plant is scheduled as any program and may have to wait for a processor: there it is
// given up once it has used processor time of its own for so long without an iteration, or, where it uses none (it was
// stopped, or is blocked), after some seconds in which the watchdog itself was not held up.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "rt/policies/mode.hpp"

namespace kinloop::rt {

struct WatchdogSettings {
  double timeout_s = 0.0;       // without an iteration; 0: 10 periods, at least 50 ms
  int core = -1;                // that the watchdog stays on; -1: any but the plant's
  int priority = 90;            // SCHED_FIFO, above everything else on its core
  std::string device;           // a hardware watchdog to be petted while all is well, "/dev/watchdog"; empty: none
  double life_timeout_s = 2.0;  // in real_time, of supervisor or io, after which actuators are made safe; 0: never
};

/// How the loop shows that it lives. Written by the loop, read by the watchdog, in shared memory.
struct Heartbeat {
  std::atomic<std::uint64_t> iterations{0};
  std::atomic<std::int64_t> beat_ns{0};   // when the last one began, on the clock
  std::atomic<std::uint32_t> running{0};  // set when the first iteration is near, cleared at a proper end
  std::atomic<std::int32_t> thread{0};    // the loop's, as the kernel counts threads; before it runs
};

/// How much processor time a thread has used.
class CpuTime {
 public:
  virtual ~CpuTime() = default;
  /// Negative where it cannot be known.
  virtual std::int64_t used_ns() noexcept = 0;
};

enum class Health { kNotRunning, kHealthy, kTripped };

class Watchdog {
 public:
  /// Of a plant that uses no processor time, where it is not run by the clock.
  static constexpr std::int64_t kLongestStandstill_ns = 4'000'000'000;

  /// `period_ns` is that of the looks.
  Watchdog(Mode mode, std::int64_t timeout_ns, std::int64_t period_ns) noexcept
      : mode_(mode), timeout_ns_(timeout_ns), period_ns_(period_ns) {}

  /// Once in every watchdog period. Once tripped it stays so. `cpu` is the loop's, asked where it is not run by the
  /// clock.
  Health look(const Heartbeat& heartbeat, std::int64_t now_ns, CpuTime& cpu) noexcept;

  /// How long there has been no sign of life at the last look.
  std::int64_t silent_ns() const noexcept { return silent_ns_; }

 private:
  bool is_lost(CpuTime& cpu) noexcept;

  Mode mode_;
  std::int64_t timeout_ns_, period_ns_;
  std::uint64_t last_iterations_ = 0;
  std::int64_t last_sign_ns_ = 0;
  std::int64_t silent_ns_ = 0;
  std::int64_t last_look_ns_ = 0;
  std::int64_t standstill_ns_ = 0;    // without an iteration, as far as the watchdog itself was there
  std::int64_t suspect_cpu_ns_ = -1;  // the processor time when it became suspect; negative: it is not
  bool watching_ = false, tripped_ = false;
};

}  // namespace kinloop::rt
