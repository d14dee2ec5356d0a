// Owns LoopStatus: how a running loop stands, published once a tick for whoever reports it.
#pragma once

#include <array>
#include <cstdint>

#include "core/integrators/energy_balance.hpp"
#include "rt/messages/frame.hpp"
#include "rt/policies/command_policy.hpp"
#include "rt/policies/fault_policy.hpp"
#include "rt/policies/overrun_policy.hpp"

namespace kinloop::rt {

/// Of the stepping thread since its warm-up; looked at now and then, outside ticks.
struct ThreadUsage {
  std::int64_t minor_faults = 0, major_faults = 0;  // of pages
  std::int64_t waits = 0;                           // it gave the processor up itself
  std::int64_t preemptions = 0;                     // it was taken away
};

/// Bit i: actuator i.
struct ActuatorsHeld {
  std::uint64_t safe = 0;     // by age or by an emergency stop
  std::uint64_t stopped = 0;  // by an emergency stop
};

struct LoopStatus {
  std::uint64_t step = 0;
  double time_s = 0.0;  // of the plant
  std::int32_t level = 0;
  bool paused = false;
  OverrunCounters overrun;
  CommandCounters commands;
  ActuatorsHeld held;
  FaultCounters faults;
  ThreadUsage usage;
  // SignalFault of every signal, sensors first, then actuators; kOverridden where a value stands in. Looked at now and
  // then.
  static constexpr std::uint8_t kOverridden = 0x80;
  std::array<std::uint8_t, kMaxSensors + kMaxActuators> faults_of_signals{};
  std::int64_t switches = 0;           // of coordinates
  std::int64_t singular = 0;           // evaluations in singular positions
  std::int64_t fallbacks = 0;          // answers of another formulation, since one failed its check
  std::int64_t coarse_steps = 0;       // that were too long for the motion (core/integrators/step_watch.hpp)
  double largest_closure_error = 0.0;  // rad, or lengths of the mechanism
  bool accounts_energy = false;
  EnergyBalance energy;  // where it does
  std::uint64_t frames_dropped = 0, journal_dropped = 0, events_dropped = 0;
};

}  // namespace kinloop::rt
