// Start reading here: one cycle, from the command in the mailbox through the step to the sensor frame.
#include "rt/loop/loop.hpp"

#include <algorithm>

#include "core/base/stepping_mode.hpp"
#include "rt/loop/thread_usage.hpp"

namespace kinloop::rt {
namespace {

constexpr std::int64_t kMaxIdleWait_ns = 50'000'000;  // of a loop that waits for commands: signs of life, a stop seen
constexpr std::int64_t kSpinWait_ns = 100'000;        // for the next release, before it is slept for
constexpr std::uint64_t kIterationsBetweenLooks = 1024;  // at the usage of the thread

}  // namespace

Loop::Loop(const LoopSettings& settings, Plant& plant, State& state, InputSource& input, Clock& clock,
           PlantMemory& memory, PlantExchange* exchange)
    : settings_(settings),
      clock_(clock),
      memory_(memory),
      stepped_{&plant, state, input, FaultPolicy(settings.fault)},
      stops_(memory.stops, memory.stop_receipts),
      overrun_(settings.overrun, settings.period_ns, 0),
      phases_(clock),
      client_(memory.to_client),
      publisher_(settings, stepped_, run_, overrun_, clock, memory, client_),
      requests_(settings.mode, stepped_, run_, publisher_, memory, client_, exchange) {
  require(plant.sensor_count() <= kMaxSensors, "the sensors fit into a frame");
  run_.paused = settings.begins_paused;
}

LoopEnd Loop::run() noexcept {
  const SteppingMode floating_point;
  GuardianWatch guardians(settings_.life_timeout_ns);
  stepped_.set_watch(&phases_);
  overrun_.restart_at(clock_.now_ns() + settings_.period_ns);
  usage_at_start_ = thread_usage();  // after the first look at the clock, which faults its page in
  publisher_.note(EventKind::kStarted, 0);
  memory_.heartbeat.running.store(1, std::memory_order_release);  // all that was set up before is seen by then
  while (!run_.end) {
    const std::uint64_t iteration = memory_.heartbeat.iterations.load(std::memory_order_relaxed) + 1;
    const std::int64_t now_ns = clock_.now_ns();
    memory_.heartbeat.beat_ns.store(now_ns, std::memory_order_relaxed);
    memory_.heartbeat.iterations.store(iteration, std::memory_order_relaxed);
    if (iteration % kIterationsBetweenLooks == 0) publisher_.set_usage(thread_usage() - usage_at_start_);
    const Guardian silent =
        guardians.silent(memory_.supervisor_beat, beat_of(memory_.io_beats, IoThread::kMain), now_ns);
    if (silent != Guardian::kNone) make_safe(EventKind::kAbandoned, static_cast<std::int64_t>(silent));
    switch (wait()) {
      case Wake::kStop:
      case Wake::kCommand:
        break;
      case Wake::kPause:
        publisher_.publish_status();
        publisher_.publish_pose();  // it may have been put into another state
        client_.send();
        break;
      case Wake::kStep:
        if (tick()) account_timing();
        client_.send();
    }
  }
  return finish();
}

Loop::Wake Loop::wait() noexcept {
  by_clock_ = settings_.mode == Mode::kRealTime && !run_.paused;
  if (by_clock_) clock_.sleep_until(overrun_.release_ns());
  const std::uint32_t seen = memory_.to_plant.seen();
  run_.resumed = false;
  requests_.take();
  latch_stops();  // after requests: no re-arm lifts a stop that came with it
  if (run_.resumed) restart_clock();
  if (memory_.stop.load(std::memory_order_relaxed) != 0) run_.end_with(LoopEnd::kStopped);
  if (memory_.ends.load(std::memory_order_relaxed) != 0) run_.end_with(LoopEnd::kSignalled);
  if (run_.end) return Wake::kStop;
  if (run_.resumed) return Wake::kPause;
  due_ns_ = by_clock_ ? overrun_.release_ns() : clock_.now_ns();
  if (is_released()) return Wake::kStep;
  client_.send();
  return wait_for_signal(seen);
}

Loop::Wake Loop::wait_for_signal(std::uint32_t seen) noexcept {
  const std::int64_t from_ns = clock_.now_ns();
  // A controller that answered at once does so again, sooner than this thread could sleep and be woken.
  const bool is_near = settings_.mode == Mode::kLockstep && !run_.paused && last_wait_ns_ < kSpinWait_ns;
  bool is_signalled = false;
  if (is_near && spin_gate_.lets_spin()) {
    is_signalled = memory_.to_plant.spin_wait(seen, kSpinWait_ns);
    spin_gate_.tell(is_signalled);
  }
  is_signalled = is_signalled ||
                 // Never longer than a period: the watchdog counts the iterations of a paused loop too.
                 memory_.to_plant.wait(seen, std::min(kMaxIdleWait_ns, settings_.period_ns));
  last_wait_ns_ = clock_.now_ns() - from_ns;
  // Only a command is worth more haste than the status: who floods with requests must not keep it from being seen.
  return is_signalled && !run_.paused && memory_.releases.size() > 0 ? Wake::kCommand : Wake::kPause;
}

bool Loop::is_released() noexcept {
  released_by_ = nullptr;
  if (settings_.mode != Mode::kRealTime && publisher_.journal_is_full()) return false;  // every step is kept
  if (run_.steps_left > 0) return true;
  if (run_.paused) return false;
  if (settings_.mode != Mode::kLockstep) return true;
  if (memory_.releases.pop(release_)) released_by_ = &release_;
  return released_by_ != nullptr;
}

void Loop::latch_stops() noexcept {
  if (!stops_.is_asked()) return;
  make_safe(EventKind::kMadeSafe, 0);
  stops_.confirm(memory_.heartbeat.iterations.load(std::memory_order_relaxed), stepped_.state.step() + 1);
}

/// It is told once.
void Loop::make_safe(EventKind why, std::int64_t value) noexcept {
  if (!stepped_.input.is_stopped()) publisher_.note(why, value);
  stepped_.input.make_safe();
}

/// The time that the plant was paused is not missed.
void Loop::restart_clock() noexcept {
  overrun_.restart_at(clock_.now_ns() + settings_.period_ns);
  memory_.timing.interrupt();
}

/// False where there was nothing to step with.
bool Loop::tick() noexcept {
  phases_.begin(static_cast<std::int64_t>(stepped_.state.step()) + 1, due_ns_);
  publisher_.release_frame();
  StepInput input;
  if (!stepped_.input.next(released_by_, overrun_.level(), input)) {
    run_.end_with(LoopEnd::kDone);
    return false;
  }
  if (stepped_.fault.freezes()) input.frozen = 1;
  requests_.add_changes(input);
  phases_.end(Phase::kCommand);

  const StepStatus status = stepped_.plant->step(input, stepped_.state);
  phases_.end(Phase::kSolve);  // but for closing the loops, of which it tells itself

  if (is_done(status)) stepped_.plant->sense(stepped_.state, publisher_.readings());
  if (!stepped_.fault.goes_on_after(status)) run_.end_with(LoopEnd::kFault);
  const std::uint64_t release = released_by_ != nullptr ? released_by_->release : 0;
  publisher_.fill_frame({status, due_ns_, phases_.timing().start_ns, release, was_late_}, input);
  phases_.end(Phase::kSense);

  publisher_.publish_step(input, requests_.origin());
  publisher_.note_changes(status);
  phases_.end(Phase::kPublish);
  return true;
}

void Loop::account_timing() noexcept {
  requests_.count_step();
  if (!by_clock_) memory_.timing.interrupt();  // periods mean something with a clock only
  memory_.timing.record(phases_.timing(), settings_.period_ns);
  if (by_clock_) {
    const std::int64_t late_ns = phases_.last_ns() - (overrun_.release_ns() + settings_.period_ns);
    const int level = overrun_.level();
    const OverrunVerdict verdict = overrun_.finish(phases_.last_ns());
    was_late_ = verdict != OverrunVerdict::kInTime;
    if (was_late_) publisher_.note(EventKind::kOverrun, late_ns);
    if (overrun_.level() != level) publisher_.note(EventKind::kLevelChanged, overrun_.level());
    if (verdict == OverrunVerdict::kLimitReached) {
      publisher_.note(EventKind::kOverrunLimit, overrun_.counters().misses);
      run_.end_with(LoopEnd::kOverrunLimit);
    }
  }
  if (settings_.max_steps != 0 && run_.steps == settings_.max_steps) run_.end_with(LoopEnd::kDone);
  publisher_.publish_status();
}

LoopEnd Loop::finish() noexcept {
  const LoopEnd end = run_.end.value_or(LoopEnd::kDone);
  publisher_.release_frame();
  requests_.finish();
  publisher_.set_usage(thread_usage() - usage_at_start_);
  publisher_.publish_status();
  publisher_.note(EventKind::kEnded, static_cast<std::int64_t>(end));
  stepped_.set_watch(nullptr);
  memory_.heartbeat.running.store(0, std::memory_order_release);  // after all that is to be read at the end
  memory_.to_client.notify();
  return end;
}

}  // namespace kinloop::rt
