// Owns PendingChanges: faults, overrides and forces that wait for the next step.
#pragma once

#include <array>
#include <cstdint>

#include "core/plant/plant.hpp"
#include "core/plant/step_input.hpp"
#include "rt/messages/request.hpp"

namespace kinloop::rt {

struct PendingChanges {
  std::uint32_t count = 0;
  std::array<StepChange, kMaxChanges> change{};

  /// For the next step of the plant, which is in this state.
  ReplyStatus add(const StepChange& next, const Plant& plant, const State& state) noexcept;
  /// Into the input of that step, where there are any.
  void move_into(StepInput& input) noexcept;
};

}  // namespace kinloop::rt
