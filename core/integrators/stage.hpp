// Owns what all integrators share: a trial state, its evaluation, and the end of a step.
#pragma once

#include "core/integrators/constraint_projection.hpp"

namespace kinloop {

/// A state on trial: the State itself changes only when the whole step has succeeded.
struct Trial {
  explicit Trial(const Model& model) : q(VectorX::Zero(model.nq())), v(VectorX::Zero(model.nv())) {}

  VectorX q, v;
};

/// The state's q and v, driven coordinates where their motions want them.
void begin_step(const Model& model, const State& state, Trial& start) noexcept;

/// The state's time a step later, rounding of all steps before taken into account; and the same written to the state.
double time_after(const State& state, double dt_s) noexcept;
void advance_time(State& state, double dt_s) noexcept;

/// What the end of a step needs besides the trial.
struct StepEnd {
  ConstraintProjection& loops;
  Dynamics& dynamics;
  Workspace& ws;
};

/// ws.vdot; the basis that the first evaluation of a step finds stays frozen for the rest of it.
StepStatus evaluate(const Model& model, const double* q, const double* v, double time_s, const Loads& loads,
                    Dynamics& dynamics, Workspace& ws) noexcept;

/// Faster than this nothing moves that is simulated here: rad/s, or m/s for mechanisms of up to a metre and lengths of
/// the mechanism a second for larger ones. A step that leads there is not done.
inline constexpr double kMaxSpeed = 1e6;

/// Whether a speed is beyond kMaxSpeed or no number.
bool has_diverged(const Model& model, const VectorX& v) noexcept;

/// Puts the driven coordinates in place, then ws.vdot for the trial at that time. kDiverged where a failure of the
/// formulation has its cause in the trial.
StepStatus evaluate_stage(const Model& model, double time_s, const Loads& loads, Dynamics& dynamics, Trial& trial,
                          Workspace& ws) noexcept;

/// Closes the loops of the trial and makes it the new state, one step later and without history. Leaves the state as
/// it was if the loops cannot be closed or the motion diverged.
StepStatus accept_step(const Model& model, double dt_s, const StepEnd& with, Trial& end, State& state) noexcept;

}  // namespace kinloop
