// Owns the largest rates of linearised motions: of springs, dampers and one-sided elements against inertia.
#pragma once

#include "core/constraints/constraints.hpp"
#include "core/model/state.hpp"

namespace kinloop {

/// Largest eigenvalue of a stiffness or damping against inertia, and the speed that moves most in it.
struct LargestRate {
  double value = 0.0;  // (rad/s)^2 or 1/s
  int speed = -1;
};

/// Loops closed, driven speeds held.
struct MotionRates {
  bool regular = true;  // false: some possible motion moves no inertia, and nothing else is known
  LargestRate springs, dampers;
  LargestRate touch_springs, touch_dampers;  // of what acts on one side only, did all of it act
  LargestRate elements;                      // springs of what acts between bodies, all of it
  VectorX mobility;                          // along each speed, acceleration per unit of force
};

/// By matrices over the motions that the constraints allow: the third power of the number of speeds. Needs
/// update_kinematics() and update_loop_constraints() of the state.
MotionRates dense_rates(const Model& model, const State& state, const Workspace& ws);

/// By Lanczos' iteration with one evaluation of the dynamics a step, to a few percent: it ends where an eigenvalue is
/// known to 1 %, and a larger one may lie beside it. The mobility takes an evaluation for each speed.
MotionRates iterated_rates(const Model& model, const State& state);

}  // namespace kinloop
