// Lists what a plant remembers, for analysis; and the signals as they truly are.
#include "core/plant/device_state_entry.hpp"

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
  for (std::size_t i = 0; i < sensors_.size(); ++i) signals[i] = true_value(sensors_[i].signal, state);
}

/// Whether a sensor shows this of the actuator.
bool Plant::shows(SignalKind kind, std::size_t actuator) const noexcept {
  return std::any_of(sensors_.begin(), sensors_.end(), [&](const PlacedSensor& placed) {
    return placed.signal.kind == kind && placed.signal.index == static_cast<int>(actuator);
  });
}

std::vector<DeviceStateEntry> Plant::device_state_entries(const State& state) const {
  std::vector<DeviceStateEntry> all;
  for (std::size_t i = 0; i < actuators_.size(); ++i) {
    add_chain_entries(i, static_cast<std::uint64_t>(state.device_state()[kMovedAt]), all);
    add_drive_entries(i, all);
  }
  for (std::size_t p = 0; p < circuits_.size(); ++p) {
    all.push_back({"pressure." + spec_.pumps[p].name, DeviceStateKind::kPressure, -1, circuits_[p].at, -1, 0.0});
  }
  return all;
}

void Plant::add_chain_entries(std::size_t i, std::uint64_t moved, std::vector<DeviceStateEntry>& all) const {
  const Actuator& actuator = actuators_[i];
  const CommandChain& chain = actuator.chain;
  const std::string& name = spec_.actuators[i].name;
  const auto add = [&](const std::string& what, int place, bool is_last) {
    const bool is_force = is_last && actuator.kind == ActuatorKind::kForce;
    all.push_back({what, DeviceStateKind::kCommand, static_cast<int>(i), actuator.chain_at + place,
                   is_force ? actuator.force_at : -1, is_force ? 1.0 : 0.0});
  };
  const int depth = chain.delay_depth();
  if (chain.limits_rate()) add("rate." + name, CommandChain::rate_place(), depth == 0 && !chain.lags());
  for (int age = 1; age <= depth; ++age) {
    add("delay." + name + "." + std::to_string(age), chain.delay_place(moved, age), false);
  }
  if (chain.lags()) add("lag." + name, CommandChain::lag_place(), true);
}

void Plant::add_drive_entries(std::size_t i, std::vector<DeviceStateEntry>& all) const {
  const Actuator& actuator = actuators_[i];
  const ActuatorSpec& spec = spec_.actuators[i];
  const auto add = [&](const char* what, DeviceStateKind kind, int at, int force_at, double force_per_unit) {
    all.push_back({what + spec.name, kind, static_cast<int>(i), at, force_at, force_per_unit});
  };
  const bool is_motor = actuator.kind == ActuatorKind::kDcMotor;
  if (is_motor && (spec.motor.inductance_H > 0.0 || shows(SignalKind::kMotorCurrent, i))) {
    add("current.", DeviceStateKind::kCurrent, actuator.motor_at, -1, 0.0);
  }
  if (actuator.kind == ActuatorKind::kCylinder) {
    const double area_a_m2 = disc_m2(spec.cylinder.bore_m);
    const double area_b_m2 = area_a_m2 - disc_m2(spec.cylinder.rod_m);
    add("pressure_a.", DeviceStateKind::kPressure, actuator.chambers_at, actuator.force_at, area_a_m2);
    add("pressure_b.", DeviceStateKind::kPressure, actuator.chambers_at + 1, actuator.force_at, -area_b_m2);
  }
  // The command that a delay lets out is in no later state, and a motor's torque is a mean over the sub-step.
  const bool is_late = actuator.kind == ActuatorKind::kForce && actuator.chain.delay_depth() > 0;
  const bool is_seen = senses_accelerations_ || shows(SignalKind::kActuatorForce, i);
  if (is_seen && (is_motor || (is_late && !actuator.chain.lags()))) {
    add("force.", DeviceStateKind::kForce, actuator.force_at, -1, 0.0);
  }
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
