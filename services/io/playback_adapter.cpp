// Sends the rows of a stimulus as commands, in step with the plant; send() is where to start reading.
#include "services/io/playback_adapter.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/require.hpp"

namespace kinloop::io {
namespace {

using Outcome = AdapterLease::Outcome;

constexpr double kSameTime = 1e-3;  // of a step: times are sums of many steps, and decimal numbers in files

}  // namespace

PlaybackAdapter::PlaybackAdapter(const std::string& name, const PlaybackAdapterSpec& spec, Stimulus stimulus,
                                 const RigSpec& rig, CommandArbiter& commands)
    : name_(name),
      spec_(spec),
      stimulus_(std::move(stimulus)),
      commands_(commands),
      lease_(commands, stimulus_.actuators, "playback " + name, LeaseTable::kLongest_s),
      is_lockstep_(rig.mode == rt::Mode::kLockstep),
      lead_s_(rig.frames.leave == rt::FrameSettings::Leave::kAtRelease ? rig.plant.dt_s : 0.0),
      tolerance_s_(kSameTime * rig.plant.dt_s),
      values_(stimulus_.actuators.size()) {
  require(rig.mode != rt::Mode::kFree && stimulus_.rows() > 0, "there is something to play, and time for it");
  for (const std::size_t i : stimulus_.actuators) initial_.push_back(rig.commands[i].initial);
}

void PlaybackAdapter::begin(const rt::LoopStatus& plant, std::int64_t now_ns) {
  if (is_lockstep_) {
    release_step(plant.time_s, now_ns);
  } else {
    give(plant.time_s, now_ns);
  }
}

void PlaybackAdapter::receive(std::int64_t now_ns) {
  if (postponed_s_) release_step(*postponed_s_, now_ns);
}

void PlaybackAdapter::send(const rt::SensorFrame& frame, std::int64_t now_ns) {
  if (!is_lockstep_) return give(frame.time_s + lead_s_, now_ns);
  if (waits_for_ == 0 || frame.release != waits_for_) return;
  waits_for_ = 0;
  release_step(frame.time_s, now_ns);
}

/// By the clock: before the first row and after the last one there is nothing to say.
void PlaybackAdapter::give(double time_s, std::int64_t now_ns) {
  switch (sample(time_s)) {
    case Part::kBefore:
      return;
    case Part::kAfter:
      return lease_.release();
    case Part::kWithin:
      pass_on(now_ns);
  }
}

/// In lockstep: steps before the first row are released with what is in force until the first command.
void PlaybackAdapter::release_step(double time_s, std::int64_t now_ns) {
  postponed_s_.reset();
  const Part part = sample(time_s);
  if (part == Part::kAfter) return lease_.release();
  if (part == Part::kBefore) values_ = initial_;
  if (pass_on(now_ns) == Outcome::kGiven) {
    waits_for_ = commands_.releases();
  } else {
    postponed_s_ = time_s;
  }
}

PlaybackAdapter::Part PlaybackAdapter::sample(double time_s) noexcept {
  const double first_s = stimulus_.time_s.front();
  double at_s = time_s - spec_.start_s;
  if (at_s < first_s - tolerance_s_) return Part::kBefore;
  if (spec_.repeat) {
    const double period_s = stimulus_.end_s - first_s;
    const double within_s = std::fmod(std::max(at_s - first_s, 0.0), period_s);
    at_s = first_s + (period_s - within_s <= tolerance_s_ ? 0.0 : within_s);
  } else if (at_s > stimulus_.time_s.back() + tolerance_s_) {
    return Part::kAfter;
  }
  const bool holds = spec_.interpolation == Interpolation::kHold;
  stimulus_.sample(holds ? at_s + tolerance_s_ : at_s, spec_.interpolation, values_);
  return Part::kWithin;
}

Outcome PlaybackAdapter::pass_on(std::int64_t now_ns) {
  const Outcome outcome = lease_.give(sequence_ + 1, 0, values_, now_ns);
  if (outcome == Outcome::kGiven) ++sequence_;
  if (outcome == Outcome::kNotFree) denied_.fetch_add(1, std::memory_order_relaxed);
  return outcome;
}

std::string PlaybackAdapter::trouble() const {
  const std::int64_t denied = denied_.load(std::memory_order_relaxed);
  if (denied == 0) return {};
  return name_ + ", playback of " + spec_.file.string() + ": somebody else held the actuators " +
         std::to_string(denied) + " times";
}

}  // namespace kinloop::io
