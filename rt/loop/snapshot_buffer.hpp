// Owns SnapshotBuffer: a snapshot in shared memory, on its way out of the plant's process or into it.
//
// The block of doubles lies behind the rest of the memory, since its length depends on the rig. Who fills a buffer and
// who empties it take turns by requests and replies: nobody looks into a buffer that the other one may be filling.
#pragma once

#include <array>
#include <cstdint>

#include "core/plant/step_input.hpp"
#include "rt/policies/command_policy.hpp"

namespace kinloop::rt {

struct SnapshotBuffer {
  std::uint64_t state_hash = 0;
  std::uint32_t actuators = 0;
  std::array<CommandState, kMaxActuators> policies{};
  std::uint64_t count = 0;    // of steps so far: JournalEntry::count
  std::uint32_t changes = 0;  // that wait for the next step
  std::array<StepChange, kMaxChanges> change{};
};

}  // namespace kinloop::rt
