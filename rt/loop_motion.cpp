// What pictures are made from.
#include <algorithm>

#include "rt/loop.hpp"

namespace kinloop::rt {

std::uint64_t Loop::steps_between_pictures(std::int64_t period_ns) noexcept {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(1, kBetweenPictures_ns / period_ns));
}

/// By the clock now and then; where somebody looks at single steps, each.
bool Loop::is_time_for_motion() const noexcept {
  if (settings_.mode == Mode::kLockstep || steps_left_ > 0) return true;
  return state_.step() % steps_between_pictures(settings_.period_ns) == 0;
}

void Loop::publish_motion() noexcept {
  const auto q = state_.q();
  const auto v = state_.v();
  motion_.step = state_.step();
  motion_.time_s = state_.time_s();
  motion_.command_age_ticks = input_.in_force().age_ticks;
  motion_.flags = frame_.flags;
  motion_.safe = motion_.stopped = 0;
  if (static_cast<std::size_t>(q.size() + v.size()) <= Motion::kMostNumbers) {
    motion_.coordinates = static_cast<std::uint32_t>(q.size());
    motion_.speeds = static_cast<std::uint32_t>(v.size());
    std::copy_n(q.data(), q.size(), motion_.numbers.begin());
    std::copy_n(v.data(), v.size(), motion_.numbers.begin() + q.size());
  }
  const std::span<const CommandState> commands = input_.memory();
  motion_.actuators = static_cast<std::uint32_t>(commands.size());
  for (std::size_t i = 0; i < commands.size(); ++i) {
    const CommandState& command = commands[i];
    motion_.command[i] = command.value;
    motion_.force[i] = plant_->force_of(i, state_);
    motion_.age_ticks[i] = command.commanded ? command.age_ticks : 0;
    const std::uint64_t bit = std::uint64_t{1} << i;
    if (command.safe || command.stopped) motion_.safe |= bit;
    if (command.stopped) motion_.stopped |= bit;
  }
  memory_.motion.write(motion_);
}

}  // namespace kinloop::rt
