// Owns Signal: a quantity of a plant that a sensor can be put to, by its public name.
//
//   q.<joint>  u.<joint>  a.<joint>       coordinate, speed, acceleration, named as in the CSV of sim
//   force.<actuator>                      what it applies, N or Nm
//   current.<actuator>                    of a DC motor, A
//   pressure_a.<actuator>  pressure_b.    of a cylinder's chambers, Pa
//   pressure.<pump>                       of its line, Pa
//   position.<place>.x|y|z  velocity.  acceleration.  rate.
//                                         of a frame's or body's origin in the world; rate: angular velocity, rad/s;
//                                         acceleration without gravity. A frame comes first where both have the name
//   tension.<rope>  length.<rope>         of a rope, N; what of it is let out, m
//   contact.<contact>                     size of all that planes do to it, N
//   reaction.<joint>.fx|fy|fz|mx|my|mz    what the predecessor exerts on the successor through a joint, cut or not:
//   force
//                                         and moment about the origin of frame B, world axes, N and Nm
#pragma once

#include <string_view>

#include "core/base/result.hpp"
#include "core/base/signal_unit.hpp"
#include "core/model/model.hpp"
#include "core/plant/plant_spec.hpp"

namespace kinloop {

enum class SignalKind {
  kCoordinate,
  kSpeed,
  kCoordinateAcceleration,
  kActuatorForce,
  kActuatorQuantity,
  kPumpPressure,
  kPosition,
  kVelocity,
  kAcceleration,
  kAngularVelocity,
  kRopeTension,
  kRopeLength,
  kContactForce,
  kReaction,
};

struct Signal {
  SignalKind kind = SignalKind::kCoordinate;
  int index = 0;                    // of the coordinate, speed, actuator, pump, rope, contact, joint or loop joint
  int body = 0;                     // of a place ...
  Vector3 point = Vector3::Zero();  // ... and where on it, in the frame in which the file describes the body
  int axis = 0;                     // of the world; of a reaction: 0 to 2 of the force, 3 to 5 of the moment
  bool of_loop = false;             // a reaction of a joint that closes a loop
  int quantity = 0;                 // of the actuator: its number in ActuatorType::quantities
  SignalUnit unit = SignalUnit::kNone;
};

/// An error says what is unknown in the name and what was perhaps meant.
Result<Signal> find_signal(const Model& model, const PlantSpec& plant, std::string_view name);

}  // namespace kinloop
