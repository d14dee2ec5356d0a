// Owns DcMotor: from voltage to torque, with the winding's own dynamics and the gear.
//
//   L di/dt = V - R i - k_e G w,   torque at the joint = G k_t i,   G motor turns per joint turn
//
// The rotor's inertia is the joint's armature (rotor_inertia, gear_ratio in the model): the formulations need it.
#pragma once

#include <span>

#include "core/actuators/actuator.hpp"

namespace kinloop {

struct DcMotorSettings {
  double resistance_ohm = 1.0;
  double inductance_H = 0.0;  // 0: the current follows at once
  double torque_Nm_per_A = 1.0;
  double back_emf_Vs = 1.0;  // per rad; equals the torque constant in an ideal motor
  double gear_ratio = 1.0;
};

/// Its doubles of the State.
struct DcMotorState {
  static constexpr int kSize = 1;
  explicit DcMotorState(std::span<double> state) noexcept : current_A(state[0]) {}

  double& current_A;  // at the end of the last step
};

class DcMotor final : public Actuator {
 public:
  DcMotor(const DcMotorSettings& settings, double dt_s) noexcept;

  int state_size() const noexcept override { return DcMotorState::kSize; }
  void start(std::span<double> state) const noexcept override { DcMotorState(state).current_A = 0.0; }
  /// The mean torque at the joint while voltage and joint speed are held, Nm.
  void step(std::span<const ActuatorInput> inputs, std::span<double> state,
            std::span<ActuatorOutput> outputs) const noexcept override;
  void differentiate(std::span<const ActuatorInput> inputs, std::span<const double> state,
                     ActuatorSlopes& slopes) const noexcept override;
  double steady_damping(int joint) const noexcept override;
  ActuatorQuantity quantity(int joint, int number) const noexcept override;

 private:
  DcMotorSettings settings_;
  double kept_ = 0.0;  // share of the distance to the steady current that is left after a step
  double mean_ = 0.0;  // the same, averaged over the step
};

}  // namespace kinloop
