// Owns the rope: a spring and damper between two points that only pulls, let out by a winch.
#pragma once

#include "core/forces/element_tangent.hpp"
#include "core/forces/force_slopes.hpp"
#include "core/kinematics/workspace.hpp"

namespace kinloop {

/// How a rope hangs; world axes.
struct RopeState {
  Vector3 point_a = Vector3::Zero(), point_b = Vector3::Zero();
  double length_m = 0.0;        // from point to point
  double rest_length_m = 0.0;   // that is let out
  double tension_N = 0.0;       // zero while it is slack
  double stretching_m_s = 0.0;  // of length_m - rest_length_m
};

/// For drawings and for those who measure. Needs update_kinematics() of the same q and v.
RopeState rope_state(const Rope& rope, const double* q, const double* v, const Workspace& ws) noexcept;

/// Whether it is longer than what is let out; needs positions only.
bool is_taut(const Rope& rope, const double* q, const Workspace& ws) noexcept;

/// Adds the tension to both bodies and along the winch, which it turns so as to let out more.
void add_rope(const Rope& rope, const double* q, const double* v, Workspace& ws) noexcept;

/// The stiffness along the line, and that of a taut string across it; both with the winch.
ElementTangent rope_tangent(const Rope& rope, const double* q, const double* v, const Workspace& ws) noexcept;

/// Of a rope whose points are apart.
PairSlope rope_slope(const Rope& rope, const double* q, const double* v, const Workspace& ws) noexcept;

double rope_energy(const Rope& rope, const double* q, const Workspace& ws) noexcept;

}  // namespace kinloop
