// Owns Actuator: the interface of what turns effective commands into forces at joints. One file a type, one entry in
// table.cpp.
//
// A motor acts at one joint. Cylinders that share a pump are one actuator, which acts at the joints of all of them. All
// that an actuator remembers are doubles of the State, which each type reads by a view of its own.
#pragma once

#include <span>

namespace kinloop {

/// What it is told at a joint, and how that joint moves, at the start of a step.
struct ActuatorInput {
  double command = 0.0;   // effective: behind the command chain
  double position = 0.0;  // along the joint's coordinate
  double speed = 0.0;
};

/// What it does there. The derivatives are those of the force by the input of the same joint: what an integrator needs
/// that takes position and speed from the end of the step. A force that answers to the way during the step, as that of
/// enclosed oil does, has its stiffness times the step in the derivative by the speed.
struct ActuatorOutput {
  double force = 0.0;  // held over the step, N or Nm
  double force_by_position = 0.0;
  double force_by_speed = 0.0;
};

/// A named number of an actuator's state at one joint.
struct ActuatorQuantity {
  int place = 0;                // in its state
  double force_per_unit = 0.0;  // where the force is a multiple of it at every moment (or a sum of such); 0: it is not
  bool alters_the_future = true;  // later steps depend on it
};

class ActuatorSlopes;

class Actuator {
 public:
  virtual ~Actuator() = default;

  /// Doubles of the State that belong to it.
  virtual int state_size() const noexcept = 0;
  virtual void start(std::span<double> state) const noexcept = 0;

  /// One step of the length it was made for, commands held: one input and one output for each joint. No allocation.
  virtual void step(std::span<const ActuatorInput> inputs, std::span<double> state,
                    std::span<ActuatorOutput> outputs) const noexcept = 0;

  /// The derivatives of that step, by the branch that it takes; `state` is that before it. No allocation.
  virtual void differentiate(std::span<const ActuatorInput> inputs, std::span<const double> state,
                             ActuatorSlopes& slopes) const noexcept = 0;

  /// How its force falls with the speed of a joint that moves on steadily, once what it remembers has settled:
  /// N s/m, Nm s/rad.
  virtual double steady_damping(int /*joint*/) const noexcept { return 0.0; }

  /// Quantities as the type names them: ActuatorType::quantities.
  virtual ActuatorQuantity quantity(int joint, int number) const noexcept = 0;

 protected:
  Actuator() = default;
  Actuator(const Actuator&) = default;
  Actuator& operator=(const Actuator&) = default;
};

}  // namespace kinloop
