// Publishes pose samples: decimated to what pictures need, every step where single steps are looked at.
#include <algorithm>

#include "rt/loop/loop.hpp"

namespace kinloop::rt {

std::uint64_t Loop::steps_between_pictures(std::int64_t period_ns) noexcept {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(1, kBetweenPictures_ns / period_ns));
}

/// By the clock now and then; where somebody looks at single steps, each.
bool Loop::is_time_for_pose() const noexcept {
  if (settings_.mode == Mode::kLockstep || steps_left_ > 0) return true;
  return state_.step() % steps_between_pictures(settings_.period_ns) == 0;
}

void Loop::publish_pose() noexcept {
  const auto q = state_.q();
  const auto v = state_.v();
  pose_.step = state_.step();
  pose_.time_s = state_.time_s();
  pose_.command_age_ticks = input_.in_force().age_ticks;
  pose_.flags = frame_.flags;
  pose_.safe = pose_.stopped = 0;
  if (static_cast<std::size_t>(q.size() + v.size()) <= PoseSample::kMaxNumbers) {
    pose_.coordinates = static_cast<std::uint32_t>(q.size());
    pose_.speeds = static_cast<std::uint32_t>(v.size());
    std::copy_n(q.data(), q.size(), pose_.numbers.begin());
    std::copy_n(v.data(), v.size(), pose_.numbers.begin() + q.size());
  }
  const std::span<const CommandState> commands = input_.memory();
  pose_.actuators = static_cast<std::uint32_t>(commands.size());
  for (std::size_t i = 0; i < commands.size(); ++i) {
    const CommandState& command = commands[i];
    pose_.command[i] = command.value;
    pose_.force[i] = plant_->force_of(i, state_);
    pose_.age_ticks[i] = command.commanded ? command.age_ticks : 0;
    const std::uint64_t bit = std::uint64_t{1} << i;
    if (command.safe || command.stopped) pose_.safe |= bit;
    if (command.stopped) pose_.stopped |= bit;
  }
  memory_.pose.write(pose_);
}

}  // namespace kinloop::rt
