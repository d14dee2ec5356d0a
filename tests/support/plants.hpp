// Owns the plants that tests share: a mechanism with actuators and sensors around it.
#pragma once

#include <iterator>
#include <limits>
#include <memory>
#include <string>

#include "core/plant/plant.hpp"
#include "tests/support/linkages.hpp"

namespace kinloop::plants {

/// A pendulum moved by a motor behind a delay and a lag, with an encoder and a noisy gyro; 1 ms, two levels of work:
/// ab3, then semi_implicit_euler.
inline PlantSpec driven_pendulum() {
  PlantSpec spec;
  spec.seed = 7;
  spec.levels = {{"auto", "ab3", 1, {}}, {"auto", "semi_implicit_euler", 1, {}}};
  ActuatorSpec motor;
  motor.name = "motor";
  motor.joint = "to_rod";
  motor.kind = ActuatorKind::kDcMotor;
  motor.chain.lower = -24.0;
  motor.chain.upper = 24.0;
  motor.chain.delay_s = 2.5e-3;
  motor.chain.lag_s = 5e-3;
  motor.motor.inductance_H = 1e-3;
  spec.actuators = {motor};
  SensorSpec encoder;
  encoder.name = "angle";
  encoder.signal = "q.to_rod";
  encoder.settings.quantum = 1e-3;
  encoder.settings.every = 10;
  encoder.on_fault = OnFault::kInvalid;
  SensorSpec gyro;
  gyro.name = "rate";
  gyro.signal = "u.to_rod";
  gyro.settings.noise = 1e-2;
  gyro.settings.delay_s = 1.5e-3;
  gyro.settings.dropout = 0.05;
  gyro.on_fault = OnFault::kValue;
  gyro.fault_value = -1.0;
  SensorSpec current;
  current.name = "current";
  current.signal = "current.motor";
  spec.sensors = {encoder, gyro, current};
  return spec;
}

/// A force on each of the first free speeds, every second one behind a lag; all speeds and accelerations are sensed.
inline PlantSpec pushed(const Model& model, double lag_s, int max_forces = std::numeric_limits<int>::max()) {
  PlantSpec spec;
  for (int i = 0; i < model.nv(); ++i) {
    if (model.coordinate(i).motion >= 0) continue;
    if (std::ssize(spec.actuators) < max_forces) {
      ActuatorSpec force;
      force.name = "push" + std::to_string(i);
      force.joint = model.speed_name(i);
      if (i % 2 == 1) force.chain.lag_s = lag_s;
      spec.actuators.push_back(force);
    }
    for (const char* kind : {"u", "a"}) {
      SensorSpec sensor;
      sensor.name = kind + std::to_string(i);
      sensor.signal = std::string(kind) + "." + model.speed_name(i);
      spec.sensors.push_back(sensor);
    }
  }
  return spec;
}

/// Aborts where the description is no plant.
inline std::unique_ptr<Plant> made(const Model& model, const PlantSpec& spec) {
  auto plant = Plant::make(model, spec);
  if (!plant) require(false, (plant.error().where + ": " + plant.error().what).c_str());
  return std::move(plant).value();
}

/// The same command to every actuator.
inline StepInput input_of(const Plant& plant, double command) {
  StepInput input;
  input.count = static_cast<std::uint32_t>(plant.actuator_count());
  input.command.fill(command);
  return input;
}

}  // namespace kinloop::plants
