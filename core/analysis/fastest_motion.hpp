// Owns the fastest motions that a mechanism's springs and dampers can excite: what a step size must resolve.
#pragma once

#include "core/constraints/constraints.hpp"
#include "core/model/state.hpp"

namespace kinloop {

/// Linearised about a state with loops closed and driven speeds held. For analysis: it allocates.
struct FastestMotion {
  bool regular = true;           // false: some possible motion moves no inertia, and nothing below is known
  double frequency_rad_s = 0.0;  // of the undamped springs
  int frequency_speed = -1;      // the speed that takes the largest part in that motion
  double decay_per_s = 0.0;      // of the dampers without springs
  int decay_speed = -1;
  double stop_rad_s = 0.0;  // stiffest end stop, were it touched
  int stop_speed = -1;
};

/// Needs update_kinematics() and update_loop_constraints() of the state.
FastestMotion fastest_motion(const Model& model, const State& state, const Workspace& ws);

}  // namespace kinloop
