// Copies what a step came to into shared memory; nobody is waited for.
#include "rt/loop/publisher.hpp"

#include <algorithm>
#include <limits>
#include <span>

#include "rt/messages/fault_frame.hpp"
#include "rt/messages/state_hash.hpp"

namespace kinloop::rt {
namespace {

constexpr std::size_t kJournalMargin = 1536;  // entries it may be ahead of its reader
constexpr std::uint64_t kStepsBetweenFaultLooks = 64;

std::uint8_t quality_of(const Reading& reading) noexcept {
  const unsigned invalid = reading.invalid ? sensor_flag::kInvalid : 0U;
  const unsigned lost = reading.lost ? sensor_flag::kLost : 0U;
  const unsigned saturated = reading.saturated ? sensor_flag::kSaturated : 0U;
  return static_cast<std::uint8_t>(lost | saturated | invalid);
}

ActuatorsHeld held_in(std::span<const CommandState> commands) noexcept {
  ActuatorsHeld held;
  for (std::size_t i = 0; i < commands.size(); ++i) {
    const std::uint64_t bit = std::uint64_t{1} << i;
    if (commands[i].safe || commands[i].stopped) held.safe |= bit;
    if (commands[i].stopped) held.stopped |= bit;
  }
  return held;
}

}  // namespace

Publisher::Publisher(const LoopSettings& settings, const SteppedPlant& stepped, const RunState& run,
                     const OverrunPolicy& overrun, const Clock& clock, PlantMemory& memory,
                     DeferredSignal& client) noexcept
    : mode_(settings.mode),
      frames_(settings.frames),
      steps_between_pictures_(
          static_cast<std::uint64_t>(std::max<std::int64_t>(1, kBetweenPictures_ns / settings.period_ns))),
      journal_(settings.journal),
      stepped_(stepped),
      run_(run),
      overrun_(overrun),
      clock_(clock),
      memory_(memory),
      client_(client) {}

void Publisher::note(EventKind kind, std::int64_t value) noexcept {
  const Event event{clock_.now_ns(), stepped_.state.step(), kind, value};
  memory_.events.publish(event);
  memory_.io_events.publish(event);
}

std::span<Reading> Publisher::readings() noexcept { return std::span(readings_).first(stepped_.plant->sensor_count()); }

void Publisher::fill_frame(const StepFacts& facts, const StepInput& input) noexcept {
  const State& state = stepped_.state;
  const CommandInForce command = stepped_.input.in_force();
  frame_.step = state.step();
  frame_.time_s = state.time_s();
  frame_.due_ns = facts.due_ns;
  frame_.start_ns = facts.start_ns;
  frame_.command_sequence = command.sequence;
  frame_.command_age_ticks = command.age_ticks;
  frame_.state_hash = state_hash(state);
  frame_.release = facts.release;
  frame_.level = state.level();
  frame_.count = static_cast<std::uint32_t>(stepped_.plant->sensor_count());
  frame_.flags = input.frozen != 0 ? frame_flag::kFrozen : 0U;
  if (facts.follows_late) frame_.flags |= frame_flag::kOverrun;
  if (command.stale) frame_.flags |= frame_flag::kStale;
  if (frame_.level > 0) frame_.flags |= frame_flag::kDegraded;
  if (is_done(facts.status)) {
    for (std::size_t i = 0; i < frame_.count; ++i) {
      frame_.value[i] = readings_[i].invalid ? std::numeric_limits<double>::quiet_NaN() : readings_[i].value;
      frame_.quality[i] = quality_of(readings_[i]);
    }
  }
  if (stepped_.fault.has_failed()) apply_on_fault(stepped_.plant->spec().sensors, frame_);
}

void Publisher::publish_step(const StepInput& input, const StepOrigin& origin) noexcept {
  changed_ = input.changes > 0;
  if (journal_ == Journal::kKept) {
    memory_.journal.publish(
        {input, frame_, origin.restored, origin.parameters, run_.steps + 1, origin.parameters_last ? 1U : 0U, 0});
  }
  memory_.newest.write(frame_);
  if (is_time_for_pose()) publish_pose();
  // In lockstep the frame is the answer to the command: nobody would release the step that it might wait for.
  const bool at_once = run_.end || mode_ == Mode::kLockstep;
  const bool is_due = frame_.step % static_cast<std::uint64_t>(frames_.every) == 0;
  if (!is_due && !at_once) return;
  frame_waits_ = true;
  if (frames_.leave == FrameSettings::Leave::kAtEnd || at_once) release_frame();
}

void Publisher::release_frame() noexcept {
  if (!frame_waits_) return;
  memory_.frames.publish(frame_);
  frame_waits_ = false;
  client_.raise();
}

bool Publisher::journal_is_full() const noexcept {
  return journal_ == Journal::kKept && memory_.journal.size() > kJournalMargin;
}

/// For an event.
std::int64_t Publisher::failure_of(StepStatus status) const noexcept {
  const int level = stepped_.state.level();
  const int loop = status == StepStatus::kUnverified ? stepped_.plant->basis_report(level).failed_loop : -1;
  return static_cast<std::int64_t>(status) + (std::int64_t{loop + 1} << 8);
}

void Publisher::note_changes(StepStatus status) noexcept {
  if (!is_done(status)) note(EventKind::kStepFailed, failure_of(status));
  const bool stale = stepped_.input.in_force().stale;
  if (stale != was_stale_) note(stale ? EventKind::kStale : EventKind::kFresh, stepped_.input.counters().made_safe);
  was_stale_ = stale;
}

void Publisher::publish_status() noexcept {
  const State& state = stepped_.state;
  const Plant& plant = *stepped_.plant;
  const int level = state.level();
  status_.step = state.step();
  status_.time_s = state.time_s();
  status_.level = level;
  status_.paused = run_.paused;
  status_.overrun = overrun_.counters();
  status_.commands = stepped_.input.counters();
  status_.held = held_in(stepped_.input.memory());
  status_.faults = stepped_.fault.counters();
  status_.switches = plant.basis_report(level).switches;
  status_.singular = plant.basis_report(level).singular;
  status_.fallbacks = plant.basis_report(level).fallbacks;
  status_.coarse_steps = plant.coarse_steps(level).steps;
  status_.largest_closure_error = plant.loops(level).largest_error;
  const EnergyBalance* energy = plant.energy();
  status_.accounts_energy = energy != nullptr;
  if (energy != nullptr) status_.energy = *energy;
  status_.frames_dropped = memory_.frames.was_read() ? memory_.frames.dropped() : 0;  // without a client none is missed
  status_.journal_dropped = memory_.journal.dropped();
  status_.events_dropped = memory_.events.dropped();
  if (run_.paused || run_.steps % kStepsBetweenFaultLooks == 0 || changed_) {
    for (std::size_t i = 0; i < plant.sensor_count() + plant.actuator_count(); ++i) {
      const unsigned overridden = plant.is_overridden(i, state) ? LoopStatus::kOverridden : 0U;
      status_.faults_of_signals[i] =
          static_cast<std::uint8_t>(static_cast<std::uint32_t>(plant.fault_of(i, state)) | overridden);
    }
  }
  memory_.status.write(status_);
  memory_.io_status.write(status_);
}

/// By the clock now and then; where somebody looks at single steps, each.
bool Publisher::is_time_for_pose() const noexcept {
  if (mode_ == Mode::kLockstep || run_.steps_left > 0) return true;
  return stepped_.state.step() % steps_between_pictures_ == 0;
}

void Publisher::publish_pose() noexcept {
  const State& state = stepped_.state;
  const auto q = state.q();
  const auto v = state.v();
  pose_.step = state.step();
  pose_.time_s = state.time_s();
  pose_.command_age_ticks = stepped_.input.in_force().age_ticks;
  pose_.flags = frame_.flags;
  if (static_cast<std::size_t>(q.size() + v.size()) <= PoseSample::kMaxNumbers) {
    pose_.coordinates = static_cast<std::uint32_t>(q.size());
    pose_.speeds = static_cast<std::uint32_t>(v.size());
    std::copy_n(q.data(), q.size(), pose_.numbers.begin());
    std::copy_n(v.data(), v.size(), pose_.numbers.begin() + q.size());
  }
  const std::span<const CommandState> commands = stepped_.input.memory();
  pose_.actuators = static_cast<std::uint32_t>(commands.size());
  for (std::size_t i = 0; i < commands.size(); ++i) {
    const CommandState& command = commands[i];
    pose_.command[i] = command.value;
    pose_.force[i] = stepped_.plant->force_of(i, state);
    pose_.age_ticks[i] = command.commanded ? command.age_ticks : 0;
  }
  const ActuatorsHeld held = held_in(commands);
  pose_.safe = held.safe;
  pose_.stopped = held.stopped;
  memory_.pose.write(pose_);
}

}  // namespace kinloop::rt
