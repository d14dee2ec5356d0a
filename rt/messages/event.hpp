// Owns Event: something that happened in the loop and is worth a line in a log.
#pragma once

#include <cstdint>
#include <string_view>

namespace kinloop::rt {

enum class EventKind : std::uint32_t {
  kStarted,
  kOverrun,       // value: by how many ns
  kLevelChanged,  // value: the new one
  kStale,         // commands are too old; value: actuators made safe so far
  kFresh,         // all actuators are commanded again
  kStepFailed,    // value: StepStatus, and in the bits above the lowest eight the constraint that was not kept, from 1
  kPaused,
  kResumed,
  kOverrunLimit,
  kWatchdogTripped,  // value: ns without a sign of life
  kPlantDied,        // value: how it ended, as waitpid() tells it
  kEnded,            // value: LoopEnd
  kReset,
  kRestored,    // value: the step it goes on from
  kChanged,     // faults, overrides or forces; value: ChangeKind
  kParameters,  // others are in force; value: their number
  kMadeSafe,    // all actuators, because somebody asked for it
  kRearmed,     // value: bit i, actuator i
  kAbandoned,   // all actuators were made safe: supervisor or io showed no life; value: Guardian
};

std::string_view name_of(EventKind kind) noexcept;

struct Event {
  std::int64_t time_ns = 0;  // of the clock
  std::uint64_t step = 0;
  EventKind kind = EventKind::kStarted;
  std::int64_t value = 0;
};

}  // namespace kinloop::rt
