// The winding is linear: a step has a closed form, however short its time constant.
#include "core/actuators/dc_motor.hpp"

#include <array>
#include <cmath>
#include <memory>

#include "core/actuators/actuator_slopes.hpp"
#include "core/actuators/actuator_type.hpp"
#include "core/base/require.hpp"

namespace kinloop {
namespace {

constexpr std::array kMotorQuantities = {QuantityName{"current", SignalUnit::kA, "current", 0.0}};

CommandShape shape_of_voltage(const ActuatorSpec& /*spec*/) noexcept { return {}; }

std::unique_ptr<Actuator> make_motor(const ActuatorSpec& spec, const ActuatorStep& step) {
  return std::make_unique<DcMotor>(spec.motor, step.dt_s);
}

}  // namespace

const ActuatorType actuators::kDcMotor = {ActuatorKind::kDcMotor, "dc_motor",       "DC motor",        "V",
                                          ForceSource::kMean,     kMotorQuantities, &shape_of_voltage, &make_motor};

DcMotor::DcMotor(const DcMotorSettings& settings, double dt_s) noexcept : settings_(settings) {
  require(settings.resistance_ohm > 0.0 && settings.inductance_H >= 0.0, "a winding has resistance");
  if (settings.inductance_H == 0.0) return;
  const double constants = dt_s * settings.resistance_ohm / settings.inductance_H;  // in a step
  kept_ = std::exp(-constants);
  mean_ = -std::expm1(-constants) / constants;
}

void DcMotor::step(std::span<const ActuatorInput> inputs, std::span<double> state,
                   std::span<ActuatorOutput> outputs) const noexcept {
  double& current_A = DcMotorState(state).current_A;
  const double emf_V = settings_.back_emf_Vs * settings_.gear_ratio * inputs[0].speed;
  const double steady_A = (inputs[0].command - emf_V) / settings_.resistance_ohm;
  const double distance_A = current_A - steady_A;
  current_A = steady_A + kept_ * distance_A;
  const double torque_Nm_per_A = settings_.gear_ratio * settings_.torque_Nm_per_A;
  const double steady_A_per_speed = -settings_.back_emf_Vs * settings_.gear_ratio / settings_.resistance_ohm;
  outputs[0] = {torque_Nm_per_A * (steady_A + mean_ * distance_A), 0.0,
                torque_Nm_per_A * (1.0 - mean_) * steady_A_per_speed};
}

void DcMotor::differentiate(std::span<const ActuatorInput> /*inputs*/, std::span<const double> /*state*/,
                            ActuatorSlopes& slopes) const noexcept {
  const double torque_Nm_per_A = settings_.gear_ratio * settings_.torque_Nm_per_A;
  const double steady_A_per_V = 1.0 / settings_.resistance_ohm;
  const double steady_A_per_speed = -settings_.back_emf_Vs * settings_.gear_ratio / settings_.resistance_ohm;
  const int force = slopes.force(0);
  const int current = slopes.state_after(0);
  slopes.at(force, slopes.command(0)) = torque_Nm_per_A * (1.0 - mean_) * steady_A_per_V;
  slopes.at(force, slopes.speed(0)) = torque_Nm_per_A * (1.0 - mean_) * steady_A_per_speed;
  slopes.at(force, slopes.state_before(0)) = torque_Nm_per_A * mean_;
  slopes.at(current, slopes.command(0)) = (1.0 - kept_) * steady_A_per_V;
  slopes.at(current, slopes.speed(0)) = (1.0 - kept_) * steady_A_per_speed;
  slopes.at(current, slopes.state_before(0)) = kept_;
}

double DcMotor::steady_damping(int /*joint*/) const noexcept {
  const double gear = settings_.gear_ratio;
  return gear * gear * settings_.torque_Nm_per_A * settings_.back_emf_Vs / settings_.resistance_ohm;
}

ActuatorQuantity DcMotor::quantity(int /*joint*/, int /*number*/) const noexcept {
  return {0, 0.0, settings_.inductance_H > 0.0};
}

}  // namespace kinloop
