// Field by field. Counts come from memory that another process writes, so they are bounded.
#include "services/wire/motion_codec.hpp"

#include <algorithm>

namespace kinloop::wire {

void to_wire(const rt::PoseSample& motion, v1::Motion& out) {
  out.Clear();
  out.set_step(motion.step);
  out.set_time_s(motion.time_s);
  out.set_flags(motion.flags);
  out.set_command_age_ticks(static_cast<std::uint64_t>(motion.command_age_ticks));
  const std::size_t coordinates = std::min<std::size_t>(motion.coordinates, rt::PoseSample::kMaxNumbers);
  const std::size_t speeds = std::min<std::size_t>(motion.speeds, rt::PoseSample::kMaxNumbers - coordinates);
  const double* number = motion.numbers.data();
  out.mutable_q()->Add(number, number + coordinates);
  out.mutable_u()->Add(number + coordinates, number + coordinates + speeds);
  const std::size_t actuators = std::min<std::size_t>(motion.actuators, kMaxActuators);
  for (std::size_t i = 0; i < actuators; ++i) {
    out.add_commands(motion.command[i]);
    out.add_forces(motion.force[i]);
    out.add_age_ticks(motion.age_ticks[i]);
  }
  out.set_safe(motion.safe);
  out.set_stopped(motion.stopped);
}

}  // namespace kinloop::wire
