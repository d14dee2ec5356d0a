// Owns Command: what a controller asks of all actuators at once, as it lies in the mailbox.
#pragma once

#include <array>
#include <cstdint>

#include "core/plant/step_input.hpp"

namespace kinloop::rt {

struct Command {
  std::uint64_t sequence = 0;  // the sender's count
  std::int64_t sent_ns = 0;    // the sender's clock; only told on
  std::uint64_t rearm = 0;     // bit i: actuator i may be moved again after it was made safe
  std::uint32_t count = 0;     // of actuators
  std::array<double, kMostActuators> value{};
};

}  // namespace kinloop::rt
