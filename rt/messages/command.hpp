// Owns Command: what controllers ask of the actuators, as it lies in the mailbox.
//
// Several may each command some of the actuators. The one process that gathers their values keeps the newest of all in
// one Command and counts, actuator by actuator, how often it got one: an actuator whose controller fell silent ages
// whatever the others send.
#pragma once

#include <array>
#include <cstdint>

#include "core/plant/step_input.hpp"

namespace kinloop::rt {

struct Command {
  std::uint64_t sequence = 0;  // of the newest frame; its sender's count
  std::uint64_t rearm = 0;     // bit i: actuator i may be moved again after it was made safe
  std::uint64_t release = 0;   // lockstep: the number of the step's release, which its frame tells
  std::uint32_t count = 0;     // of actuators
  std::uint32_t epoch = 0;     // of who gathers: a new one counts from the start
  std::array<double, kMaxActuators> value{};
  std::array<std::uint32_t, kMaxActuators> given{};  // how often actuator i got a value; 0: never

  /// By who gathers.
  void give(std::size_t actuator, double new_value) noexcept {
    value[actuator] = new_value;
    if (++given[actuator] == 0) given[actuator] = 1;
  }
};

}  // namespace kinloop::rt
