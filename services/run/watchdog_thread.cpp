// Looks, pets, trips.
#include "services/run/watchdog_thread.hpp"

#include <pthread.h>

#include <algorithm>
#include <cmath>

#include "rt/clock.hpp"
#include "rt/fault_frame.hpp"

namespace kinloop::run {

WatchdogTimes watchdog_times(const RigSpec& rig) {
  constexpr double kLeast_s = 0.05;
  constexpr double kPeriods = 10.0;
  const double usual_s = std::max(kPeriods * rig.plant.dt_s, kLeast_s);
  const double timeout_s = rig.watchdog.timeout_s > 0.0 ? rig.watchdog.timeout_s : usual_s;
  constexpr std::int64_t kShortest_ns = 500'000;
  constexpr std::int64_t kLongest_ns = 50'000'000;
  const std::int64_t timeout_ns = std::llround(timeout_s * 1e9);
  return {timeout_ns, std::clamp(timeout_ns / 4, kShortest_ns, kLongest_ns)};
}

void publish_last_frame(const RigSpec& rig, rt::PlantMemory& memory) {
  rt::SensorFrame frame;
  if (const auto taken = memory.newest.take(); taken.value != nullptr) frame = *taken.value;
  frame.count = static_cast<std::uint32_t>(rig.plant.sensors.size());
  rt::apply_on_fault(rig.plant.sensors, frame);
  memory.last_frames.publish(frame);
  memory.to_client.notify();
}

WatchdogThread::WatchdogThread(const RigSpec& rig, rt::PlantMemory& memory, HealthReport& health)
    : rig_(rig), memory_(memory), health_(health), thread_([this] { watch(); }) {}

void WatchdogThread::stop() {
  stop_.store(true, std::memory_order_relaxed);
  if (thread_.joinable()) thread_.join();
}

void WatchdogThread::watch() {
  ::pthread_setname_np(::pthread_self(), "watchdog");  // for ps and top
  rt::ThreadWishes wishes;
  if (rig_.mode == rt::Mode::kRealTime) wishes.priority = rig_.watchdog.priority;
  wishes.core = rig_.watchdog.core;
  const rt::ThreadSetup setup(wishes);
  refusals_ = setup.refusals();

  const WatchdogTimes times = watchdog_times(rig_);
  rt::MonotonicClock clock;
  rt::Watchdog watchdog(rig_.mode, times.timeout_ns);
  for (std::int64_t next_ns = clock.now_ns(); !stop_.load(std::memory_order_relaxed); next_ns += times.period_ns) {
    clock.sleep_until(next_ns);
    const std::int64_t now_ns = clock.now_ns();
    switch (watchdog.look(memory_.heartbeat, now_ns)) {
      case rt::Health::kNotRunning:
        break;
      case rt::Health::kHealthy:
        health_.pet(now_ns);
        break;
      case rt::Health::kTripped:
        publish_last_frame(rig_, memory_);
        silent_ns_ = watchdog.silent_ns();
        tripped_ns_.store(now_ns, std::memory_order_release);
        return;
    }
  }
}

}  // namespace kinloop::run
