// Owns the thread that watches the plant from outside it, above everything else on its core.
#pragma once

#include <atomic>
#include <thread>
#include <vector>

#include "rt/plant_memory.hpp"
#include "rt/thread_setup.hpp"
#include "services/rig/rig_spec.hpp"
#include "services/run/health_report.hpp"

namespace kinloop::run {

struct WatchdogTimes {
  std::int64_t timeout_ns = 0;  // without a sign of life
  std::int64_t period_ns = 0;   // from look to look
};
/// Of the rig, or what suits its period.
WatchdogTimes watchdog_times(const RigSpec& rig);

/// Frames for the client once the plant is given up: what each sensor declares for that.
void publish_last_frame(const RigSpec& rig, rt::PlantMemory& memory);

class WatchdogThread {
 public:
  /// Starts it. All must outlive it.
  WatchdogThread(const RigSpec& rig, rt::PlantMemory& memory, HealthReport& health);
  WatchdogThread(const WatchdogThread&) = delete;
  WatchdogThread& operator=(const WatchdogThread&) = delete;
  ~WatchdogThread() { stop(); }

  void stop();

  bool has_tripped() const noexcept { return tripped_ns_.load(std::memory_order_acquire) != 0; }
  /// When, on the clock; how long there had been no sign of life. Once it has tripped.
  std::int64_t tripped_ns() const noexcept { return tripped_ns_.load(std::memory_order_acquire); }
  std::int64_t silent_ns() const noexcept { return silent_ns_; }
  /// Once it has stopped.
  const std::vector<rt::Refusal>& refusals() const noexcept { return refusals_; }

 private:
  void watch();

  const RigSpec& rig_;
  rt::PlantMemory& memory_;
  HealthReport& health_;
  std::vector<rt::Refusal> refusals_;
  std::atomic<bool> stop_{false};
  std::atomic<std::int64_t> tripped_ns_{0};  // released after the last frame and silent_ns_ are written
  std::int64_t silent_ns_ = 0;
  std::thread thread_;
};

}  // namespace kinloop::run
