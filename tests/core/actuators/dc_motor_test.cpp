// Tests the motor: steady state, transient against small steps, power balance.
#include "core/actuators/dc_motor.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace kinloop {
namespace {

constexpr DcMotorSettings kMotor{0.5, 2e-3, 0.05, 0.05, 20.0};

double torque_after_step_Nm(const DcMotor& motor, double voltage_V, double speed_rad_s, double& current_A) {
  const ActuatorInput input{voltage_V, 0.0, speed_rad_s};
  ActuatorOutput output;
  motor.step({&input, 1}, {&current_A, 1}, {&output, 1});
  return output.force;
}

TEST(DcMotor, StallsWithTheTorqueOfItsResistance) {
  const DcMotor motor(kMotor, 1e-3);
  double current_A = 0.0;
  motor.start({&current_A, 1});

  double torque_Nm = 0.0;
  for (int i = 0; i < 1000; ++i) torque_Nm = torque_after_step_Nm(motor, 24.0, 0.0, current_A);

  EXPECT_NEAR(current_A, 48.0, 1e-9);
  EXPECT_NEAR(torque_Nm, 20.0 * 0.05 * 48.0, 1e-9);
}

TEST(DcMotor, HasNoTorqueAtItsIdleSpeed) {
  const DcMotor motor(kMotor, 1e-3);
  double current_A = 0.0;
  const double idle_rad_s = 24.0 / (0.05 * 20.0);

  for (int i = 0; i < 1000; ++i) EXPECT_NEAR(torque_after_step_Nm(motor, 24.0, idle_rad_s, current_A), 0.0, 1e-9);
}

TEST(DcMotor, GivesTheSameCurrentAndMeanTorqueInOneStepAsInAThousand) {
  const DcMotor coarse(kMotor, 5e-3), fine(kMotor, 5e-6);
  double coarse_A = 3.0, fine_A = 3.0;

  const double torque_Nm = torque_after_step_Nm(coarse, 12.0, 4.0, coarse_A);
  double mean_Nm = 0.0;
  for (int i = 0; i < 1000; ++i) mean_Nm += torque_after_step_Nm(fine, 12.0, 4.0, fine_A) / 1000.0;

  EXPECT_NEAR(coarse_A, fine_A, 1e-10);
  EXPECT_NEAR(torque_Nm, mean_Nm, 1e-10);
}

TEST(DcMotor, FollowsAtOnceWithoutInductance) {
  DcMotorSettings settings = kMotor;
  settings.inductance_H = 0.0;
  const DcMotor motor(settings, 1e-3);
  double current_A = 99.0;

  EXPECT_NEAR(torque_after_step_Nm(motor, 10.0, 0.0, current_A), 20.0 * 0.05 * 20.0, 1e-12);
  EXPECT_NEAR(current_A, 20.0, 1e-12);
}

TEST(DcMotor, TurnsElectricalPowerIntoMechanicalPowerAndHeat) {
  const DcMotor motor(kMotor, 1e-3);
  double current_A = 0.0;
  constexpr double kSpeed_rad_s = 7.0;
  double torque_Nm = 0.0;
  for (int i = 0; i < 1000; ++i) torque_Nm = torque_after_step_Nm(motor, 24.0, kSpeed_rad_s, current_A);

  EXPECT_NEAR(24.0 * current_A, torque_Nm * kSpeed_rad_s + 0.5 * current_A * current_A, 1e-8);
}

TEST(DcMotor, TellsHowItsTorqueFallsWithTheSpeed) {
  for (const double dt_s : {1e-5, 1e-3, 1.0}) {
    const DcMotor motor(kMotor, dt_s);
    const auto torque_Nm = [&](double speed_rad_s) {
      double current_A = 7.0;
      return torque_after_step_Nm(motor, 12.0, speed_rad_s, current_A);
    };
    const ActuatorInput input{12.0, 0.3, 4.0};
    double current_A = 7.0;
    ActuatorOutput output;

    motor.step({&input, 1}, {&current_A, 1}, {&output, 1});

    // The torque is linear in the speed: a difference is exact but for rounding.
    EXPECT_NEAR(output.force_by_speed, (torque_Nm(5.0) - torque_Nm(3.0)) / 2.0, 1e-12);
    EXPECT_LT(output.force_by_speed, 0.0);
    EXPECT_EQ(output.force_by_position, 0.0);
  }
}

}  // namespace
}  // namespace kinloop
