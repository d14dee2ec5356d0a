// Owns the fastest motions that a mechanism's elements can excite: what a step size must resolve.
#pragma once

#include <span>
#include <string>

#include "core/constraints/constraints.hpp"
#include "core/model/state.hpp"

namespace kinloop {

/// A force along a speed that falls while the speed rises, within one step: of oil, of a motor.
struct Drive {
  std::string name;
  int speed = 0;
  double damping = 0.0;  // N s/m or Nm s/rad; that of a spring is its stiffness times the step
};

/// Linearised about a state with loops closed and driven speeds held. For analysis: it allocates.
struct FastestMotion {
  bool regular = true;           // false: some possible motion moves no inertia, and nothing below is known
  double frequency_rad_s = 0.0;  // of the undamped springs
  int frequency_speed = -1;      // the speed that takes the largest part in that motion
  double decay_per_s = 0.0;      // of the dampers without springs
  int decay_speed = -1;
  double stop_rad_s = 0.0;  // stiffest end stop, were it touched
  int stop_speed = -1;
  double stop_decay_per_s = 0.0;  // the strongest damper of one
  int stop_decay_speed = -1;
  double touch_rad_s = 0.0;        // contacts and ropes, were all of them touched and taut
  double touch_decay_per_s = 0.0;  // friction of the contacts, did each carry its body's weight
  int touch_speed = -1;
  double element_rad_s = 0.0;  // of all that acts between bodies: springs, bushings, contacts, ropes
  int element_speed = -1;
  double drive_per_s = 0.0;  // of the drives
  int drive = -1;            // among those given
  double spin_rad_s = 0.0;   // of the fastest of the bodies whose axis may turn itself, and of what hangs on them
  int spin_body = -1;
  double rough_spin_rad_s = 0.0;  // the same among those that semi-implicit Euler has no drift for (free_rotation.hpp)
  int rough_spin_body = -1;
  int ball_body = -1;  // the first of them on a joint that turns about any axis: it may begin to spin at any time
  VectorX mobility;    // along each speed, acceleration per unit of force
};

/// Needs update_kinematics() and update_loop_constraints() of the state. Up to 200 speeds by matrices, of more by
/// iteration: a second for some thousands.
FastestMotion fastest_motion(const Model& model, const State& state, const Workspace& ws,
                             std::span<const Drive> drives = {});

/// The same motion with these drives instead, which depend on the step.
FastestMotion with_drives(FastestMotion motion, std::span<const Drive> drives);

/// The same at a model's initial state.
FastestMotion fastest_at_start(const Model& model, std::span<const Drive> drives = {});

}  // namespace kinloop
