// Lists what a plant remembers, for analysis; and the signals as they truly are.
#include "core/plant/continuous_memory.hpp"

#include <algorithm>
#include <numbers>

#include "core/plant/plant.hpp"

namespace kinloop {
namespace {

double disc_m2(double diameter_m) { return std::numbers::pi / 4.0 * diameter_m * diameter_m; }

}  // namespace

void Plant::true_signals(const State& state, std::span<double> signals) noexcept {
  require(signals.size() == sensors_.size(), "one signal for each sensor");
  evaluate_signals(state);
  for (std::size_t i = 0; i < sensors_.size(); ++i) signals[i] = truth_of(sensors_[i].signal, state);
}

/// Whether a sensor shows this of the actuator.
bool Plant::shows(SignalKind kind, std::size_t actuator) const noexcept {
  return std::any_of(sensors_.begin(), sensors_.end(), [&](const PlacedSensor& placed) {
    return placed.signal.kind == kind && placed.signal.index == static_cast<int>(actuator);
  });
}

std::vector<ContinuousMemory> Plant::continuous_memory(const State& state) const {
  const auto moved = static_cast<std::uint64_t>(state.surroundings()[kMovedAt]);
  std::vector<ContinuousMemory> all;
  for (std::size_t i = 0; i < actuators_.size(); ++i) {
    const Actuator& actuator = actuators_[i];
    const CommandChain& chain = actuator.chain;
    const std::string& name = spec_.actuators[i].name;
    const auto add = [&](const std::string& what, MemoryKind kind, int at) -> ContinuousMemory& {
      all.push_back({what, kind, static_cast<int>(i), at, -1, 0.0});
      return all.back();
    };
    const auto add_command = [&](const std::string& what, int place, bool is_last) {
      ContinuousMemory& memory = add(what, MemoryKind::kCommand, actuator.chain_at + place);
      if (!is_last || actuator.kind != ActuatorKind::kForce) return;
      memory.force_at = actuator.force_at;
      memory.force_per_unit = 1.0;
    };
    if (chain.limits_rate()) {
      add_command("rate." + name, CommandChain::rate_place(), chain.delay_depth() == 0 && !chain.lags());
    }
    for (int age = 1; age <= chain.delay_depth(); ++age) {
      add_command("delay." + name + "." + std::to_string(age), chain.delay_place(moved, age), false);
    }
    if (chain.lags()) add_command("lag." + name, CommandChain::lag_place(), true);

    const bool is_motor = actuator.kind == ActuatorKind::kDcMotor;
    const bool lets_current_linger = spec_.actuators[i].motor.inductance_H > 0.0;
    if (is_motor && (lets_current_linger || shows(SignalKind::kMotorCurrent, i))) {
      add("current." + name, MemoryKind::kCurrent, actuator.motor_at);
    }
    if (actuator.kind == ActuatorKind::kCylinder) {
      const CylinderSettings& cylinder = spec_.actuators[i].cylinder;
      ContinuousMemory& a = add("pressure_a." + name, MemoryKind::kPressure, actuator.chambers_at);
      a.force_at = actuator.force_at;
      a.force_per_unit = disc_m2(cylinder.bore_m);
      ContinuousMemory& b = add("pressure_b." + name, MemoryKind::kPressure, actuator.chambers_at + 1);
      b.force_at = actuator.force_at;
      b.force_per_unit = disc_m2(cylinder.rod_m) - disc_m2(cylinder.bore_m);
    }
    const bool is_late = actuator.kind == ActuatorKind::kForce && chain.delay_depth() > 0 && !chain.lags();
    const bool is_seen = senses_accelerations_ || shows(SignalKind::kActuatorForce, i);
    if (is_seen && (is_motor || is_late)) add("force." + name, MemoryKind::kForce, actuator.force_at);
  }
  for (std::size_t p = 0; p < circuits_.size(); ++p) {
    all.push_back({"pressure." + spec_.pumps[p].name, MemoryKind::kPressure, -1, circuits_[p].at, -1, 0.0});
  }
  return all;
}

std::vector<int> Plant::direct_forces() const {
  std::vector<int> places;
  for (const Actuator& actuator : actuators_) {
    const CommandChain& chain = actuator.chain;
    const bool remembers = chain.limits_rate() || chain.delay_depth() > 0 || chain.lags();
    places.push_back(actuator.kind == ActuatorKind::kForce && !remembers ? actuator.force_at : -1);
  }
  return places;
}

}  // namespace kinloop
