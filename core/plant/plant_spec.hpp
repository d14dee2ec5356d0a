// Owns PlantSpec: the plain description of what surrounds a mechanism on a rig, as a file states it. SI units.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/actuators/actuator_spec.hpp"
#include "core/integrators/constraint_projection.hpp"
#include "core/sensors/sensor.hpp"

namespace kinloop {

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
  std::string integrator = "auto";
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
  bool accounts_energy = false;        // Plant::energy()
  // The block of a state of this plant whose motion and device state it begins with; none: those of the model's file,
  // actuators as they are without a past.
  std::vector<double> start;
};

}  // namespace kinloop
