// Owns PlantSpec: the plain description of what surrounds a mechanism on a rig, as a file states it. SI units.
#pragma once

#include <string>
#include <vector>

#include "core/actuators/command_chain.hpp"
#include "core/actuators/dc_motor.hpp"
#include "core/actuators/hydraulic_circuit.hpp"
#include "core/integrators/constraint_projection.hpp"
#include "core/sensors/sensor.hpp"

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

/// What a sensor shows once the plant can no longer be trusted.
enum class OnFault { kHold, kValue, kInvalid };

struct SensorSpec {
  std::string name;
  std::string signal;       // core/plant/signal.hpp: "q.crank"
  SensorSettings settings;  // without seed and signal number, which the Plant fills in
  OnFault on_fault = OnFault::kHold;
  double fault_value = 0.0;
};

/// How much work a step is given. The first level is the one wanted; later ones are for steps that come too late.
struct SolverLevel {
  std::string dynamics = "auto";
  std::string integrator = "semi_implicit_euler";
  int substeps = 1;  // commands are held over them
  Stabilization loops;
};

struct PlantSpec {
  double dt_s = 1e-3;
  std::vector<SolverLevel> levels = {SolverLevel{}};
  std::vector<ActuatorSpec> actuators;
  std::vector<PumpSpec> pumps;
  std::vector<SensorSpec> sensors;
  std::uint64_t seed = 0;              // of all noise
  double longest_fault_delay_s = 0.1;  // that can be injected; 0: none
};

}  // namespace kinloop
