// Start reading here: one cycle, from the command in the mailbox through the step to the sensor frame.
#include "rt/loop/loop.hpp"

#include <algorithm>
#include <limits>

#include "core/base/stepping_mode.hpp"
#include "rt/loop/thread_usage.hpp"
#include "rt/messages/fault_frame.hpp"
#include "rt/messages/state_hash.hpp"

namespace kinloop::rt {
namespace {

constexpr std::int64_t kMaxIdleWait_ns = 50'000'000;  // of a loop that waits for commands: signs of life, a stop seen
constexpr std::int64_t kSpinWait_ns = 100'000;        // for the next release, before it is slept for
constexpr std::size_t kJournalMargin = 1536;          // entries it may be ahead
constexpr std::uint64_t kIterationsBetweenLooks = 1024;  // at the usage of the thread
constexpr std::uint64_t kStepsBetweenFaultLooks = 64;

std::uint8_t quality_of(const Reading& reading) noexcept {
  const unsigned invalid = reading.invalid ? sensor_flag::kInvalid : 0U;
  const unsigned lost = reading.lost ? sensor_flag::kLost : 0U;
  const unsigned saturated = reading.saturated ? sensor_flag::kSaturated : 0U;
  return static_cast<std::uint8_t>(lost | saturated | invalid);
}

}  // namespace

Loop::Loop(const LoopSettings& settings, Plant& plant, State& state, InputSource& input, Clock& clock,
           PlantMemory& memory, PlantExchange* exchange)
    : settings_(settings),
      plant_(&plant),
      state_(state),
      input_(input),
      clock_(clock),
      memory_(memory),
      exchange_(exchange),
      first_(state),
      incoming_(state),
      overrun_(settings.overrun, settings.period_ns, 0),
      fault_(settings.fault),
      phases_(clock),
      paused_(settings.begins_paused) {
  require(plant.sensor_count() <= kMaxSensors, "the sensors fit into a frame");
}

LoopEnd Loop::run() noexcept {
  const SteppingMode floating_point;
  plant_->set_watch(&phases_);
  overrun_.restart_at(clock_.now_ns() + settings_.period_ns);
  usage_at_start_ = thread_usage();  // after the first look at the clock, which faults its page in
  note(EventKind::kStarted, 0);
  memory_.heartbeat.running.store(1, std::memory_order_release);  // all that was set up before is seen by then
  while (!ends_) {
    const std::uint64_t iteration = memory_.heartbeat.iterations.load(std::memory_order_relaxed) + 1;
    memory_.heartbeat.beat_ns.store(clock_.now_ns(), std::memory_order_relaxed);
    memory_.heartbeat.iterations.store(iteration, std::memory_order_relaxed);
    if (iteration % kIterationsBetweenLooks == 0) status_.usage = thread_usage() - usage_at_start_;
    switch (wait()) {
      case Wake::kStop:
        end_with(LoopEnd::kStopped);
        break;
      case Wake::kCommand:
        break;
      case Wake::kPause:
        publish_status();
        publish_pose();  // it may have been put into another state
        notify();
        break;
      case Wake::kStep:
        memory_.heartbeat.in_tick.store(1, std::memory_order_relaxed);
        if (tick()) account_timing();
        memory_.heartbeat.in_tick.store(0, std::memory_order_relaxed);
        notify();
    }
  }
  return finish();
}

Loop::Wake Loop::wait() noexcept {
  by_clock_ = settings_.mode == Mode::kRealTime && !paused_;
  if (by_clock_) clock_.sleep_until(overrun_.release_ns());
  const std::uint32_t seen = memory_.to_plant.seen();
  resumed_ = false;
  adopt_plant();
  take_requests();
  if (ends_ || memory_.stop.load(std::memory_order_relaxed) != 0) return Wake::kStop;
  if (resumed_) return Wake::kPause;
  due_ns_ = by_clock_ ? overrun_.release_ns() : clock_.now_ns();
  if (is_released()) return Wake::kStep;
  notify();
  return wait_for_signal(seen);
}

Loop::Wake Loop::wait_for_signal(std::uint32_t seen) noexcept {
  const std::int64_t from_ns = clock_.now_ns();
  // A controller that answered at once does so again, sooner than this thread could sleep and be woken.
  const bool is_near = settings_.mode == Mode::kLockstep && !paused_ && last_wait_ns_ < kSpinWait_ns;
  const bool is_signalled = (is_near && memory_.to_plant.spin_wait(seen, kSpinWait_ns)) ||
                            // Never longer than a period: the watchdog counts the iterations of a paused loop too.
                            memory_.to_plant.wait(seen, std::min(kMaxIdleWait_ns, settings_.period_ns));
  last_wait_ns_ = clock_.now_ns() - from_ns;
  // Only a command is worth more haste than the status: who floods with requests must not keep it from being seen.
  return is_signalled && !paused_ && memory_.releases.size() > 0 ? Wake::kCommand : Wake::kPause;
}

bool Loop::is_released() noexcept {
  released_by_ = nullptr;
  if (settings_.mode != Mode::kRealTime && journal_is_full()) return false;  // every step is kept
  if (steps_left_ > 0) return true;
  if (paused_) return false;
  if (settings_.mode != Mode::kLockstep) return true;
  if (memory_.releases.pop(release_)) released_by_ = &release_;
  return released_by_ != nullptr;
}

bool Loop::journal_is_full() const noexcept {
  return settings_.journal == Journal::kKept && memory_.journal.size() > kJournalMargin;
}

/// False where there was nothing to step with.
bool Loop::tick() noexcept {
  phases_.begin(static_cast<std::int64_t>(state_.step()) + 1, due_ns_);
  if (frame_waits_) leave_frame();
  StepInput input;
  if (!input_.next(released_by_, overrun_.level(), input)) {
    end_with(LoopEnd::kDone);
    return false;
  }
  if (fault_.freezes()) input.frozen = 1;
  changed_ = next_.changes > 0;
  if (changed_) {
    input.changes = next_.changes;
    input.change = next_.change;
  }
  phases_.end(Phase::kCommand);

  const StepStatus status = plant_->step(input, state_);
  phases_.end(Phase::kSolve);  // but for closing the loops, of which it tells itself

  if (is_done(status)) plant_->sense(state_, std::span(readings_).first(plant_->sensor_count()));
  if (!fault_.goes_on_after(status)) end_with(LoopEnd::kFault);
  frame_.flags = input.frozen != 0 ? frame_flag::kFrozen : 0U;
  fill_frame(status);
  phases_.end(Phase::kSense);

  publish(input);
  note_changes(status);
  phases_.end(Phase::kPublish);
  return true;
}

void Loop::account_timing() noexcept {
  count_step();
  if (!by_clock_) memory_.timing.interrupt();  // periods mean something with a clock only
  memory_.timing.record(phases_.timing(), settings_.period_ns);
  if (by_clock_) {
    const std::int64_t late_ns = phases_.last_ns() - (overrun_.release_ns() + settings_.period_ns);
    const int level = overrun_.level();
    const OverrunVerdict verdict = overrun_.finish(phases_.last_ns());
    was_late_ = verdict != OverrunVerdict::kInTime;
    if (was_late_) note(EventKind::kOverrun, late_ns);
    if (overrun_.level() != level) note(EventKind::kLevelChanged, overrun_.level());
    if (verdict == OverrunVerdict::kLimitReached) {
      note(EventKind::kOverrunLimit, overrun_.counters().misses);
      end_with(LoopEnd::kOverrunLimit);
    }
  }
  if (settings_.max_steps != 0 && steps_ == settings_.max_steps) end_with(LoopEnd::kDone);
  publish_status();
}

void Loop::count_step() noexcept {
  ++steps_;
  next_.changes = 0;
  restored_ = parameters_ = 0;
  parameters_last_ = false;
  if (steps_left_ > 0 && --steps_left_ == 0) reply(steps_asked_by_, ReplyStatus::kDone, first_asked_step_);
}

void Loop::notify() noexcept {
  if (must_notify_) memory_.to_client.notify();
  must_notify_ = false;
}

void Loop::fill_frame(StepStatus status) noexcept {
  const CommandInForce command = input_.in_force();
  frame_.step = state_.step();
  frame_.time_s = state_.time_s();
  frame_.due_ns = due_ns_;
  frame_.start_ns = phases_.timing().start_ns;
  frame_.command_sequence = command.sequence;
  frame_.command_age_ticks = command.age_ticks;
  frame_.state_hash = state_hash(state_);
  frame_.release = released_by_ != nullptr ? released_by_->release : 0;
  frame_.level = state_.level();
  frame_.count = static_cast<std::uint32_t>(plant_->sensor_count());
  if (was_late_) frame_.flags |= frame_flag::kOverrun;
  if (command.stale) frame_.flags |= frame_flag::kStale;
  if (frame_.level > 0) frame_.flags |= frame_flag::kDegraded;
  if (is_done(status)) {
    for (std::size_t i = 0; i < frame_.count; ++i) {
      frame_.value[i] = readings_[i].invalid ? std::numeric_limits<double>::quiet_NaN() : readings_[i].value;
      frame_.quality[i] = quality_of(readings_[i]);
    }
  }
  if (fault_.has_failed()) apply_on_fault(plant_->spec().sensors, frame_);
}

void Loop::publish(const StepInput& input) noexcept {
  if (settings_.journal == Journal::kKept)
    memory_.journal.publish({input, frame_, restored_, parameters_, steps_ + 1, parameters_last_ ? 1U : 0U, 0});
  memory_.newest.write(frame_);
  if (is_time_for_pose()) publish_pose();
  // In lockstep the frame is the answer to the command: nobody would release the step that it might wait for.
  const bool at_once = ends_ || settings_.mode == Mode::kLockstep;
  const bool is_due = frame_.step % static_cast<std::uint64_t>(settings_.frames.every) == 0;
  if (!is_due && !at_once) return;
  frame_waits_ = true;
  if (settings_.frames.leave == FrameSettings::Leave::kAtEnd || at_once) leave_frame();
}

void Loop::leave_frame() noexcept {
  memory_.frames.publish(frame_);
  frame_waits_ = false;
  must_notify_ = true;
}

/// For an event.
std::int64_t Loop::failure_of(StepStatus status) const noexcept {
  const int loop = status == StepStatus::kUnverified ? plant_->choices(state_.level()).failed_loop : -1;
  return static_cast<std::int64_t>(status) + (std::int64_t{loop + 1} << 8);
}

void Loop::note_changes(StepStatus status) noexcept {
  if (!is_done(status)) note(EventKind::kStepFailed, failure_of(status));
  const bool stale = input_.in_force().stale;
  if (stale != was_stale_) {
    note(stale ? EventKind::kStale : EventKind::kFresh, input_.counters().made_safe);
  }
  was_stale_ = stale;
}

void Loop::publish_status() noexcept {
  const int level = state_.level();
  status_.step = state_.step();
  status_.time_s = state_.time_s();
  status_.level = level;
  status_.paused = paused_;
  status_.overrun = overrun_.counters();
  status_.commands = input_.counters();
  status_.faults = fault_.counters();
  status_.switches = plant_->choices(level).switches;
  status_.singular = plant_->choices(level).singular;
  status_.fallbacks = plant_->choices(level).fallbacks;
  status_.largest_closure_error = plant_->loops(level).largest_error;
  status_.frames_dropped = memory_.frames.was_read() ? memory_.frames.dropped() : 0;  // without a client none is missed
  status_.journal_dropped = memory_.journal.dropped();
  status_.events_dropped = memory_.events.dropped();
  if (paused_ || steps_ % kStepsBetweenFaultLooks == 0 || changed_) {
    for (std::size_t i = 0; i < plant_->sensor_count() + plant_->actuator_count(); ++i) {
      const unsigned overridden = plant_->is_overridden(i, state_) ? LoopStatus::kOverridden : 0U;
      status_.faults_of_signals[i] =
          static_cast<std::uint8_t>(static_cast<std::uint32_t>(plant_->fault_of(i, state_)) | overridden);
    }
  }
  memory_.status.write(status_);
  memory_.io_status.write(status_);
}

void Loop::note(EventKind kind, std::int64_t value) noexcept {
  const Event event{clock_.now_ns(), state_.step(), kind, value};
  memory_.events.publish(event);
  memory_.io_events.publish(event);
}

void Loop::end_with(LoopEnd reason) noexcept {
  if (!ends_) end_ = reason;  // the first reason is the one
  ends_ = true;
}

LoopEnd Loop::finish() noexcept {
  if (frame_waits_) leave_frame();
  if (steps_left_ > 0) reply(steps_asked_by_, ReplyStatus::kNotNow, first_asked_step_);
  status_.usage = thread_usage() - usage_at_start_;
  publish_status();
  note(EventKind::kEnded, static_cast<std::int64_t>(end_));
  plant_->set_watch(nullptr);
  memory_.heartbeat.running.store(0, std::memory_order_release);  // after all that is to be read at the end
  memory_.to_client.notify();
  return end_;
}

}  // namespace kinloop::rt
