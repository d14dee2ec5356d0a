// Owns StepChange: what somebody does to a plant from outside at the beginning of a step: faults, overrides,
// forces from outside.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "core/base/result.hpp"

namespace kinloop {

/// What can be wrong with a sensor's reading or an actuator's command.
enum class SignalFault : std::uint32_t {
  kNone,
  kOff,    // a sensor without a value, an actuator commanded to zero
  kStuck,  // at the value of its first step
  kBias,   // value: in the signal's unit
  kDrift,  // value: per second
  kNoise,  // value: standard deviation
  kWrongSign,
  kDelay,  // value: s
  kDrop,   // value: share of samples that is lost
};

/// "none", "off", "stuck", "bias", "drift", "noise", "wrong_sign", "delay", "drop".
std::string_view name_of(SignalFault fault) noexcept;
Result<SignalFault> find_signal_fault(std::string_view name);

enum class ChangeKind : std::uint32_t {
  kFault,     // of one signal, instead of the one it has
  kOverride,  // a value instead of the signal's own
  kForce,     // on a body
  kClear,     // fault and override of a signal; of all signals, and all forces, with kEverything
};

struct StepChange {
  static constexpr std::uint32_t kEverything = 0xFFFFFFFF;

  ChangeKind kind = ChangeKind::kClear;
  std::uint32_t target = kEverything;  // a body, or a signal: sensors first, then actuators
  SignalFault fault = SignalFault::kNone;
  std::uint32_t off = 0;           // an override is taken back
  double value = 0.0;              // of fault or override
  std::uint64_t steps = 0;         // how long; 0: until it is cleared, a force for one step
  std::array<double, 9> wrench{};  // point in the body's frame, force and moment in world axes
};

}  // namespace kinloop
