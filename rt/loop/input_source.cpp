// Resolves commands into inputs.
#include "rt/loop/input_source.hpp"

namespace kinloop::rt {

LiveInput::LiveInput(std::vector<CommandSettings> settings, PlantMemory& memory)
    : policy_(std::move(settings)), memory_(memory), count_(static_cast<std::uint32_t>(policy_.states().size())) {}

bool LiveInput::next(const Command* released_by, int level, StepInput& input) noexcept {
  const Command* fresh = released_by;
  if (fresh == nullptr) {
    const LatestValue<Command>::Taken taken = memory_.command.take();
    if (taken.is_new) {
      command_ = *taken.value;  // what is judged is what is used, whatever a client does to its memory
      fresh = &command_;
    }
  }
  if (fresh != nullptr && !fresh->is_intact()) {
    policy_.count_damaged();
    fresh = nullptr;
  }
  const bool taken = policy_.resolve(fresh, std::span(input.command).first(count_));
  if (taken && fresh != nullptr) {
    in_force_ = {fresh->sequence, 0, false};
  } else if (in_force_.sequence != 0) {
    ++in_force_.age_ticks;
  }
  in_force_.stale = policy_.is_stale();
  input.level = level;
  input.frozen = policy_.freezes() ? 1 : 0;
  input.count = count_;
  input.stopped = policy_.stopped();
  return true;
}

bool RecordedInput::next(const Command* /*released_by*/, int /*level*/, StepInput& input) noexcept {
  if (next_ == entries_.size()) return false;
  input = entries_[next_++].input;
  return true;
}

}  // namespace kinloop::rt
