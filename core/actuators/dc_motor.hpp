// Owns DcMotor: from voltage to torque, with the winding's own dynamics and the gear.
//
//   L di/dt = V - R i - k_e G w,   torque at the joint = G k_t i,   G motor turns per joint turn
//
// The rotor's inertia is the joint's armature (rotor_inertia, gear_ratio in the model): the formulations need it.
#pragma once

namespace kinloop {

struct DcMotorSettings {
  double resistance_ohm = 1.0;
  double inductance_H = 0.0;  // 0: the current follows at once
  double torque_Nm_per_A = 1.0;
  double back_emf_Vs = 1.0;  // per rad; equals the torque constant in an ideal motor
  double gear_ratio = 1.0;
};

class DcMotor {
 public:
  DcMotor(const DcMotorSettings& settings, double dt_s) noexcept;

  /// One double of the State belongs to it: the current at the end of the step, A.
  static constexpr int state_size() noexcept { return 1; }
  static void start(double* state) noexcept { *state = 0.0; }

  /// Once in every step: the mean torque at the joint while voltage and joint speed are held, Nm.
  double pass(double voltage_V, double speed_rad_s, double* state) const noexcept;

 private:
  DcMotorSettings settings_;
  double kept_ = 0.0;  // share of the distance to the steady current that is left after a step
  double mean_ = 0.0;  // the same, averaged over the step
};

}  // namespace kinloop
