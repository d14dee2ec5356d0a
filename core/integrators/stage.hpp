// Owns what all integrators share: a trial state, its evaluation, and the end of a step.
#pragma once

#include "core/dynamics/dynamics.hpp"

namespace kinloop {

/// A state on trial: the State itself changes only when the whole step has succeeded.
struct Trial {
  explicit Trial(const Model& model) : q(VectorX::Zero(model.nq())), v(VectorX::Zero(model.nv())) {}

  VectorX q, v;
};

/// The state's q and v, driven coordinates where their motions want them.
void begin_step(const Model& model, const State& state, Trial& start) noexcept;

/// Puts the driven coordinates in place, then ws.vdot for the trial at that time. kNotFinite where a failure of the
/// formulation has its cause in the trial.
StepStatus evaluate_stage(const Model& model, double time_s, const Loads& loads, Dynamics& dynamics, Trial& trial,
                          Workspace& ws) noexcept;

/// Makes the trial the new state, one step later and without history. Leaves the state as it was, with kNotFinite,
/// if a number is not finite.
StepStatus accept_step(const Model& model, double dt_s, Trial& end, State& state) noexcept;

}  // namespace kinloop
