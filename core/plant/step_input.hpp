// Owns StepInput: everything that enters one step from outside, resolved. Recorded each tick; a replay feeds it back.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/plant/step_change.hpp"

namespace kinloop {

inline constexpr std::size_t kMaxActuators = 64;
inline constexpr std::size_t kMaxChanges = 4;

struct StepInput {
  std::int32_t level = 0;                        // of the solver, 0 is the full one
  std::uint32_t frozen = 0;                      // the mechanism and its time stand still; sensors go on
  std::uint32_t count = 0;                       // of actuators
  std::uint64_t stopped = 0;                     // bit i: actuator i gets its command whatever faults and overrides say
  std::uint32_t changes = 0;                     // how many
  std::array<double, kMaxActuators> command{};   // what each actuator is told, policies applied
  std::array<StepChange, kMaxChanges> change{};  // in this order, at the beginning of the step
};

}  // namespace kinloop
