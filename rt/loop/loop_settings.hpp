// Owns LoopSettings: how a loop runs; and LoopEnd: why it no longer does.
#pragma once

#include <cstdint>

#include "rt/messages/frame.hpp"
#include "rt/policies/fault_policy.hpp"
#include "rt/policies/mode.hpp"
#include "rt/policies/overrun_policy.hpp"

namespace kinloop::rt {

/// Whether inputs and hashes of all steps are kept for a reader, who takes them from the ring. By the clock, what he is
/// too slow for is dropped and counted; in the other modes the plant waits for him.
enum class Journal { kNone, kKept };

struct LoopSettings {
  Mode mode = Mode::kRealTime;
  std::int64_t period_ns = 1'000'000;
  std::uint64_t max_steps = 0;  // 0: until it is stopped
  OverrunSettings overrun;      // in real_time
  FaultSettings fault;
  FrameSettings frames;
  Journal journal = Journal::kKept;
  bool begins_paused = false;
  // Without a sign of life of supervisor or io, after which it makes its actuators safe; 0: never.
  std::int64_t life_timeout_ns = 0;
};

enum class LoopEnd {
  kDone,          // all steps
  kStopped,       // because it was asked to
  kOverrunLimit,  // too many steps ended too late
  kFault,         // a step failed; the state is that before it
  kSignalled,     // a signal that no supervisor sends: its own died, or somebody else's hand
};

}  // namespace kinloop::rt
