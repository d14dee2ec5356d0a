// Owns what must hold for any text given to the reader of rig files; for the fuzzer and for the replay of its finds.
#pragma once

#include <cmath>
#include <string>

#include "core/base/require.hpp"
#include "services/files/model_file.hpp"
#include "services/rig/rig_file.hpp"
#include "services/rig/write_rig.hpp"
#include "tests/support/model_text.hpp"

namespace kinloop {

/// One joint of every sort that matters to a rig.
inline const Model& model_for_rigs() {
  static const CompiledModelFile file = compile_model_text(R"(
kinloop: 1
bodies:
  - {name: crank, mass: 1, inertia: [1, 1, 1]}
  - {name: piston, mass: 1, inertia: [1, 1, 1]}
  - {name: head, mass: 1, inertia: [1, 1, 1]}
  - {name: lid, mass: 1, inertia: [1, 1, 1]}
  - {name: wheel, mass: 1, inertia: [1, 1, 1]}
joints:
  - {name: pin, type: revolute, predecessor: ground, successor: crank, rotor_inertia: 1e-4, gear_ratio: 20}
  - {name: slide, type: prismatic, predecessor: crank, successor: piston, q: 0.5, limit: {lower: 0, upper: 1}}
  - {name: ball, type: spherical, predecessor: piston, successor: head}
  - {name: lid, type: fixed, predecessor: head, successor: lid}
  - {name: axle, type: revolute, predecessor: ground, successor: wheel, motion: {polynomial: [0, 1]}}
loops:
  - {name: bearing, type: revolute, predecessor: ground, successor: crank}
frames:
  - {name: tip, body: head, pose: {p: [0, 0, 1]}}
)",
                                                           "model.yaml")
                                            .value();
  return file.model;
}

inline void check_rig_spec(const RigSpec& spec) {
  const PlantSpec& plant = spec.plant;
  require(plant.dt_s > 0.0 && plant.dt_s < 2.0, "a step has a length");
  require(!plant.levels.empty() && spec.commands.size() == plant.actuators.size(), "every actuator has its command");
  require(plant.actuators.size() <= kMaxActuators && plant.sensors.size() <= rt::kMaxSensors, "all fit");
  for (const ActuatorSpec& actuator : plant.actuators) {
    require(actuator.chain.lower < actuator.chain.upper && actuator.chain.rate_per_s > 0.0, "limits leave room");
    require(actuator.chain.delay_s <= 10.0 && actuator.chain.delay_s / plant.dt_s <= 1.1e5, "a delay is bounded");
  }
  for (const SensorSpec& sensor : plant.sensors) {
    require(sensor.settings.every >= 1 && std::isfinite(sensor.settings.bias), "a sensor samples");
    require(sensor.settings.delay_s <= 10.0 && sensor.settings.delay_s / plant.dt_s <= 1.1e5, "a delay is bounded");
  }
}

/// Reads the text, writes what it says and reads that again; aborts where a promise is broken.
inline void check_rig_text(const std::string& text) {
  const auto rig = read_rig_text(text, "fuzz.yaml", model_for_rigs());
  if (!rig) {
    require(!rig.error().empty(), "a refusal says why");
    for (const Error& error : rig.error()) {
      require(error.where.starts_with("fuzz.yaml"), "an error names the file");
      require(!error.what.empty(), "an error says what");
    }
    return;
  }
  check_rig_spec(rig->spec);
  const std::string written = write_rig(rig->spec, "model.yaml");
  const auto again = read_rig_text(written, "written.yaml", model_for_rigs());
  require(again.has_value(), "what is written loads");
  require(write_rig(again->spec, "model.yaml") == written, "what is written loads to the same");
}

}  // namespace kinloop
