// Owns Request and Reply: what the loop is asked, none of which may be lost, and its answer. A request takes effect at
// the top of a tick.
#pragma once

#include <cstdint>

#include "core/plant/step_change.hpp"

namespace kinloop::rt {

enum class RequestKind : std::uint32_t {
  kPause,
  kResume,
  kStep,      // number: so many steps, then it is paused again; answered after them
  kReset,     // to the first state; number: what the journal calls it
  kSnapshot,  // into the buffer for states that leave
  kRestore,   // from the buffer for states that come back; number: what the journal calls it
  kChange,    // of faults, overrides, forces
  kRearm,     // number: bit i, actuator i may be moved again
  kMakeSafe,  // all actuators, until they are re-armed
  kJournal,   // number: 1 from now on, 0 no longer
  kStop,
};

struct Request {
  /// A bit of ids that may come twice, from an asker that did not get the answer: done once, answered again.
  static constexpr std::uint64_t kNumbered = std::uint64_t{1} << 63U;

  std::uint64_t id = 0;  // the asker's
  RequestKind kind = RequestKind::kPause;
  std::uint32_t reserved = 0;
  std::uint64_t number = 0;
  StepChange change;  // of kChange
};

enum class ReplyStatus : std::uint32_t {
  kDone,
  kNotNow,   // not in this mode, or only while it is paused
  kRefused,  // it makes no sense for this plant
  kFull,     // there is no room for more of that
};

struct Reply {
  std::uint64_t id = 0;
  ReplyStatus status = ReplyStatus::kDone;
  std::uint32_t reserved = 0;
  std::uint64_t step = 0;  // the first one that feels it
};

}  // namespace kinloop::rt
