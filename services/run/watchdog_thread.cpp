// Looks at the heartbeat, feeds the watchdog device, kills a plant that hangs.
#include "services/run/watchdog_thread.hpp"

#include <pthread.h>

#include <algorithm>
#include <cmath>

#include "rt/messages/fault_frame.hpp"
#include "rt/timing/clock.hpp"
#include "services/run/thread_cpu_time.hpp"

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
  memory.last_frames.publish(frame);  // io looks for it many times a second
}

WatchdogThread::WatchdogThread(const RigSpec& rig, rt::PlantMemory& memory, HealthReport& health,
                               std::function<void()> kill)
    : rig_(rig), memory_(memory), health_(health), kill_(std::move(kill)), thread_([this] { watch(); }) {
  is_set_up_.wait();
}

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
  is_set_up_.count_down();

  const WatchdogTimes times = watchdog_times(rig_);
  rt::MonotonicClock clock;
  rt::Watchdog watchdog(rig_.mode, times.timeout_ns, times.period_ns);
  ThreadCpuTime cpu(memory_.heartbeat.thread);
  began_ns_ = clock.now_ns();
  for (std::int64_t next_ns = clock.now_ns(); !stop_.load(std::memory_order_relaxed); next_ns += times.period_ns) {
    clock.sleep_until(next_ns);
    const std::int64_t now_ns = clock.now_ns();
    const rt::Health health = watchdog.look(memory_.heartbeat, now_ns, cpu);
    if (health == rt::Health::kTripped) {
      memory_.stop.store(1, std::memory_order_relaxed);
      kill_();
      publish_last_frame(rig_, memory_);
      silent_ns_ = watchdog.silent_ns();
      tripped_ns_.store(now_ns, std::memory_order_release);
      return;
    }
    if (may_pet(health, now_ns)) health_.pet(now_ns);
  }
}

bool WatchdogThread::may_pet(rt::Health health, std::int64_t now_ns) const noexcept {
  constexpr std::int64_t kLongestStart_ns = 60'000'000'000;  // loading and warm-up
  constexpr std::int64_t kLongestRound_ns = 2'000'000'000;   // of the supervisor
  const std::int64_t supervisor_ns = std::max(supervisor_ns_.load(std::memory_order_relaxed), began_ns_);
  const bool starts = health == rt::Health::kNotRunning && now_ns - began_ns_ < kLongestStart_ns;
  return (health == rt::Health::kHealthy || starts) && now_ns - supervisor_ns < kLongestRound_ns &&
         parts_are_well_.load(std::memory_order_relaxed);
}

}  // namespace kinloop::run
