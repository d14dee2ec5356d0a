// Owns Command: what controllers ask of the actuators, as it lies in the mailbox.
//
// Several may each command some of the actuators. The one process that gathers their values keeps the newest of all in
// one Command and counts, actuator by actuator, how often it got one: an actuator whose controller fell silent ages
// whatever the others send.
//
// A checksum goes with it: memory that was written over, or a process that was killed in the middle of a copy, moves
// nothing.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "core/plant/step_input.hpp"

namespace kinloop::rt {

struct Command {
  std::uint64_t sequence = 0;  // of the newest frame; its sender's count
  std::uint64_t rearm = 0;     // bit i: actuator i may be moved again after it was made safe
  std::uint64_t release = 0;   // lockstep: the number of the step's release, which its frame tells
  std::uint32_t count = 0;     // of actuators
  std::uint32_t epoch = 0;     // of who gathers: a new one counts from the start
  std::uint64_t checksum = 0;  // by seal()
  std::array<double, kMaxActuators> value{};
  std::array<std::uint32_t, kMaxActuators> given{};  // how often actuator i got a value; 0: never

  /// By who gathers.
  void give(std::size_t actuator, double new_value) noexcept {
    value[actuator] = new_value;
    if (++given[actuator] == 0) given[actuator] = 1;
  }

  /// By who gathers, once all is in place.
  void seal() noexcept { checksum = sum(); }
  /// By who takes it.
  bool is_intact() const noexcept { return checksum == sum(); }

 private:
  /// Of all that means something: of values as many as there are actuators.
  std::uint64_t sum() const noexcept {
    // A multiplication by an odd number keeps every bit that differs, a shift brings the upper ones down.
    constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;
    std::uint64_t sum = kOdd;
    const auto add = [&sum](std::uint64_t word) noexcept {
      sum = (sum ^ word) * kOdd;
      sum ^= sum >> 32U;
    };
    add(sequence);
    add(rearm);
    add(release);
    add(std::uint64_t{epoch} << 32U | count);
    for (std::size_t i = 0; i < count && i < kMaxActuators; ++i) {
      add(std::bit_cast<std::uint64_t>(value[i]));
      add(given[i]);
    }
    return sum;
  }
};

}  // namespace kinloop::rt
