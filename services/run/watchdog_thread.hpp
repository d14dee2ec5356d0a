// Owns the thread that watches the plant from outside it, above everything else on its core.
#pragma once

#include <atomic>
#include <functional>
#include <latch>
#include <thread>
#include <vector>

#include "rt/loop/plant_memory.hpp"
#include "rt/loop/thread_setup.hpp"
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
  /// Starts it and waits until it is set up. All must outlive it; `kill` ends the plant, from this thread.
  WatchdogThread(const RigSpec& rig, rt::PlantMemory& memory, HealthReport& health, std::function<void()> kill);
  WatchdogThread(const WatchdogThread&) = delete;
  WatchdogThread& operator=(const WatchdogThread&) = delete;
  ~WatchdogThread() { stop(); }

  void stop();

  /// By the supervisor's main thread, now and then: others are told of health only while that one is alive too.
  void supervisor_is_alive(std::int64_t now_ns) noexcept { supervisor_ns_.store(now_ns, std::memory_order_relaxed); }

  /// The same of all other parts, as PartWatch judges them.
  void parts_are_well(bool are_well) noexcept { parts_are_well_.store(are_well, std::memory_order_relaxed); }

  bool has_tripped() const noexcept { return tripped_ns_.load(std::memory_order_acquire) != 0; }
  /// When, on the clock; how long there had been no sign of life. Once it has tripped.
  std::int64_t tripped_ns() const noexcept { return tripped_ns_.load(std::memory_order_acquire); }
  std::int64_t silent_ns() const noexcept { return silent_ns_; }
  const std::vector<rt::Refusal>& refusals() const noexcept { return refusals_; }

 private:
  void watch();
  bool may_pet(rt::Health health, std::int64_t now_ns) const noexcept;

  const RigSpec& rig_;
  rt::PlantMemory& memory_;
  HealthReport& health_;
  std::function<void()> kill_;
  std::vector<rt::Refusal> refusals_;
  std::latch is_set_up_{1};
  std::int64_t began_ns_ = 0;
  std::atomic<std::int64_t> supervisor_ns_{0};
  std::atomic<bool> parts_are_well_{true};
  std::atomic<bool> stop_{false};
  std::atomic<std::int64_t> tripped_ns_{0};  // released after the last frame and silent_ns_ are written
  std::int64_t silent_ns_ = 0;
  std::thread thread_;
};

}  // namespace kinloop::run
