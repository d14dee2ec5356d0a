// Owns ActuatorSpec and PumpSpec: actuators as a file states them. SI units.
#pragma once

#include <string>

#include "core/actuators/command_chain.hpp"
#include "core/actuators/dc_motor.hpp"
#include "core/actuators/hydraulic_circuit.hpp"

namespace kinloop {

enum class ActuatorKind {
  kForce,     // the command is a force along the coordinate, N or Nm
  kDcMotor,   // a voltage
  kCylinder,  // the opening of a valve, -1 (retract) to 1 (extend)
};

struct ActuatorSpec {
  std::string name;
  std::string joint;  // what it moves, as in Model::speed_name(): "crank", "gimbal.1"
  ActuatorKind kind = ActuatorKind::kForce;
  CommandChainSettings chain;
  double initial = 0.0;  // the command that has been in force for ever when the run starts
  DcMotorSettings motor;
  CylinderSettings cylinder;
  std::string pump;  // of a cylinder
};

struct PumpSpec {
  std::string name;
  PumpSettings settings;
};

}  // namespace kinloop
