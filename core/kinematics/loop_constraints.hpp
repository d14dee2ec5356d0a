// Owns the evaluation of all closing joints of a model: part of the kinematic sweep.
#pragma once

#include "core/kinematics/workspace.hpp"
#include "core/model/state.hpp"

namespace kinloop {

/// ws.loop_constraint and the errors of the couplings. Needs update_kinematics() of the same q, v and time. No
/// allocation.
void update_loop_constraints(const Model& model, const double* q, const double* v, double time_s,
                             Workspace& ws) noexcept;

inline void update_loop_constraints(const Model& model, const State& state, Workspace& ws) noexcept {
  update_loop_constraints(model, state.q().data(), state.v().data(), state.time_s(), ws);
}

/// The errors only; needs update_positions() of the same q.
void update_loop_constraint_errors(const Model& model, const double* q, double time_s, Workspace& ws) noexcept;
/// The errors of the velocities only; needs update_velocities() of the same v, and the errors of the positions at the
/// same time before.
void update_loop_constraint_rates(const Model& model, const double* v, Workspace& ws) noexcept;

/// The largest error of all loops and couplings: rad, and distances in units of the mechanism's length.
double closure_error(const Workspace& ws) noexcept;

/// The same of the velocities, per second.
double closure_rate(const Workspace& ws) noexcept;

/// Coordinates of a closing joint that come nearest to the actual pose of B in A; needs update_loop_constraints().
std::array<double, 7> closing_coordinates(const LoopJoint& loop, const Workspace& ws) noexcept;

}  // namespace kinloop
