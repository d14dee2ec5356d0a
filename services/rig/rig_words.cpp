// The tables; words that other modules own are asked of them.
#include "services/rig/rig_words.hpp"

#include <array>

namespace kinloop {
namespace {

using Leave = rt::FrameSettings::Leave;

template <class Enum, std::size_t kCount>
std::array<Choice<Enum>, kCount> words(const std::array<Enum, kCount>& values) {
  std::array<Choice<Enum>, kCount> table{};
  for (std::size_t i = 0; i < kCount; ++i) table[i] = {name_of(values[i]), values[i]};
  return table;
}

}  // namespace

std::string_view name_of(ActuatorKind kind) noexcept {
  switch (kind) {
    case ActuatorKind::kForce:
      return "force";
    case ActuatorKind::kDcMotor:
      return "dc_motor";
    case ActuatorKind::kCylinder:
      return "cylinder";
  }
  return "unknown";
}

std::string_view name_of(OnFault answer) noexcept {
  switch (answer) {
    case OnFault::kHold:
      return "hold";
    case OnFault::kValue:
      return "value";
    case OnFault::kInvalid:
      return "invalid";
  }
  return "unknown";
}

std::string_view name_of(Leave leave) noexcept { return leave == Leave::kAtEnd ? "at_end" : "at_release"; }

std::string_view name_of(Interpolation interpolation) noexcept {
  return interpolation == Interpolation::kHold ? "hold" : "linear";
}

ChoiceTable<ActuatorKind> actuator_words() {
  static const auto table = words(std::array{ActuatorKind::kForce, ActuatorKind::kDcMotor, ActuatorKind::kCylinder});
  return table;
}

ChoiceTable<Leave> leave_words() {
  static const auto table = words(std::array{Leave::kAtEnd, Leave::kAtRelease});
  return table;
}

ChoiceTable<rt::Mode> mode_words() {
  static const auto table = words(std::array{rt::Mode::kRealTime, rt::Mode::kLockstep, rt::Mode::kFree});
  return table;
}

ChoiceTable<rt::OverrunKind> overrun_words() {
  using Kind = rt::OverrunKind;
  static const auto table = words(std::array{Kind::kSlip, Kind::kCatchUp, Kind::kSkip, Kind::kDegrade, Kind::kStop});
  return table;
}

ChoiceTable<rt::FaultKind> fault_words() {
  static const auto table = words(std::array{rt::FaultKind::kStop, rt::FaultKind::kFreeze});
  return table;
}

ChoiceTable<rt::StaleKind> stale_words() {
  using Kind = rt::StaleKind;
  static const auto table = words(std::array{Kind::kHold, Kind::kZero, Kind::kRamp, Kind::kFreeze});
  return table;
}

ChoiceTable<StabilizationKind> loop_words() {
  using Kind = StabilizationKind;
  static const auto table = words(std::array{Kind::kProjection, Kind::kBaumgarte, Kind::kNone});
  return table;
}

ChoiceTable<Interpolation> interpolation_words() {
  static const auto table = words(std::array{Interpolation::kHold, Interpolation::kLinear});
  return table;
}

}  // namespace kinloop
