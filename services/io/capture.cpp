// A ring of what was, and a list of those who wait.
#include "services/io/capture.hpp"

#include <algorithm>

namespace kinloop::io {

bool Capture::begin(std::uint64_t key, const std::string& owner, const v1::CaptureRequest& request, std::size_t sensor,
                    std::int64_t until_ns, Done done) {
  const std::lock_guard guard(mutex_);
  if (triggers_.size() >= kMaxWaiting) return false;
  triggers_.push_back({key, owner, request, sensor, until_ns, std::move(done), false, 0, {}});
  return true;
}

bool Capture::cancel(std::uint64_t key) {
  return end_those([&](const Trigger& trigger) { return trigger.key == key; });
}

void Capture::cancel_all_of(const std::string& owner) {
  end_those([&](const Trigger& trigger) { return trigger.owner == owner; });
}

void Capture::expire(std::int64_t now_ns) {
  end_those([&](const Trigger& trigger) { return trigger.until_ns <= now_ns; });
}

/// Who waits is told outside the lock. Whether there was one.
template <class Condition>
bool Capture::end_those(const Condition& condition) {
  std::vector<Done> over;
  {
    const std::lock_guard guard(mutex_);
    for (auto next = triggers_.begin(); next != triggers_.end();) {
      if (!condition(*next)) {
        ++next;
        continue;
      }
      over.push_back(std::move(next->done));
      next = triggers_.erase(next);
    }
  }
  for (const Done& done : over) done(nullptr);
  return !over.empty();
}

void Capture::take(const rt::SensorFrame& frame) {
  const std::lock_guard guard(mutex_);
  for (auto next = triggers_.begin(); next != triggers_.end();) {
    Trigger& trigger = *next;
    if (!trigger.has_triggered && is_met(trigger, frame)) {
      begin_reply(trigger, frame);
    } else if (trigger.has_triggered && trigger.left > 0) {
      add(frame, trigger.reply);
      --trigger.left;
    }
    if (!trigger.has_triggered || trigger.left > 0) {
      ++next;
      continue;
    }
    trigger.done(&trigger.reply);
    next = triggers_.erase(next);
  }
  before_[count_++ % before_.size()] = frame;
}

bool Capture::is_met(const Trigger& trigger, const rt::SensorFrame& frame) const {
  if (count_ == 0) return false;
  const rt::SensorFrame& last = before_[(count_ - 1) % before_.size()];
  const double level = trigger.request.level();
  const double was = last.value[trigger.sensor];
  const double is = frame.value[trigger.sensor];
  const bool rises = was < level && is >= level;
  const bool falls = was > level && is <= level;
  switch (trigger.request.condition()) {
    case v1::CONDITION_RISES:
      return rises;
    case v1::CONDITION_FALLS:
      return falls;
    case v1::CONDITION_CROSSES:
      return rises || falls;
    case v1::CONDITION_FLAGGED:
      return (frame.flags & ~last.flags) != 0;
    default:
      return false;
  }
}

void Capture::begin_reply(Trigger& trigger, const rt::SensorFrame& frame) const {
  const auto before = std::min<std::uint64_t>({trigger.request.steps_before(), count_, before_.size()});
  for (std::uint64_t i = count_ - before; i < count_; ++i) add(before_[i % before_.size()], trigger.reply);
  add(frame, trigger.reply);
  trigger.reply.set_trigger_step(frame.step);
  trigger.has_triggered = true;
  trigger.left = trigger.request.steps_after();
}

void Capture::add(const rt::SensorFrame& frame, v1::CaptureReply& reply) {
  reply.add_steps(frame.step);
  reply.add_times_s(frame.time_s);
  for (std::size_t i = 0; i < frame.count; ++i) reply.add_values(frame.value[i]);
  reply.add_flags(frame.flags);
}

}  // namespace kinloop::io
