// The winding is linear: a step has a closed form, however short its time constant.
#include "core/actuators/dc_motor.hpp"

#include <cmath>

#include "core/base/require.hpp"

namespace kinloop {

DcMotor::DcMotor(const DcMotorSettings& settings, double dt_s) noexcept : settings_(settings) {
  require(settings.resistance_ohm > 0.0 && settings.inductance_H >= 0.0, "a winding has resistance");
  if (settings.inductance_H == 0.0) return;
  const double constants = dt_s * settings.resistance_ohm / settings.inductance_H;  // in a step
  kept_ = std::exp(-constants);
  mean_ = -std::expm1(-constants) / constants;
}

double DcMotor::pass(double voltage_V, double speed_rad_s, double* state) const noexcept {
  const double emf_V = settings_.back_emf_Vs * settings_.gear_ratio * speed_rad_s;
  const double steady_A = (voltage_V - emf_V) / settings_.resistance_ohm;
  const double distance_A = *state - steady_A;
  *state = steady_A + kept_ * distance_A;
  return settings_.gear_ratio * settings_.torque_Nm_per_A * (steady_A + mean_ * distance_A);
}

}  // namespace kinloop
