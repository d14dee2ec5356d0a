// Owns RunState: how a run stands between two steps: paused, asked for single steps, about to end.
#pragma once

#include <cstdint>
#include <optional>

#include "rt/loop/loop_settings.hpp"

namespace kinloop::rt {

struct RunState {
  std::uint64_t steps = 0;       // since the run began, however often it was reset
  std::uint64_t steps_left = 0;  // that were asked for one by one
  bool paused = false;
  bool resumed = false;        // since the last release: the next step is due a period from now
  std::optional<LoopEnd> end;  // why it ends, once it does

  /// The first reason is the one.
  void end_with(LoopEnd reason) noexcept {
    if (!end) end = reason;
  }
};

}  // namespace kinloop::rt
