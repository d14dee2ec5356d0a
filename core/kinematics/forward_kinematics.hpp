// Owns the kinematic sweep that every formulation starts from (docs/theory/conventions.md §4).
#pragma once

#include "core/kinematics/workspace.hpp"
#include "core/model/state.hpp"

namespace kinloop {

/// Poses, velocities, A_t and loads without applied forces, for all bodies. `q` has nq entries, `v` has nv.
void update_kinematics(const Model& model, const double* q, const double* v, double time_s, Workspace& ws) noexcept;

inline void update_kinematics(const Model& model, const State& state, Workspace& ws) noexcept {
  update_kinematics(model, state.q().data(), state.v().data(), state.time_s(), ws);
}

/// Poses and motion columns only; all else stays as it is.
void update_positions(const Model& model, const double* q, Workspace& ws) noexcept;
/// Velocities only, at the positions that the workspace has.
void update_velocities(const Model& model, const double* v, Workspace& ws) noexcept;

/// Puts the driven coordinates of q and v where their motions want them at that time.
void apply_prescribed_motion(const Model& model, double time_s, double* q, double* v) noexcept;

}  // namespace kinloop
