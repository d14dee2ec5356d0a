// Owns the laws of what can only push, or only pull: one-sided springs, friction, soil.
//
//   one-sided   k d (1 + a d'), never negative                 d: depth in m, d' its rate, a: dissipation in s/m
//   friction    mu push tanh(s / s0), against the sliding      s: sliding speed, s0: friction_speed
//   soil        total = min((k + g) d, max_force), of which the share k / (k + g) bears, the rest digs:
//               bearing  along the normal; while the point leaves, times 1 + a d', never negative
//               digging  against the motion in all directions, times tanh(s / s0)
//
// The damping grows with depth (Hunt and Crossley, 1975), so that no force begins with a jump; what damps takes energy
// only. At rest the one-sided law gives the depth weight / k, friction creeps at s0 atanh(load / (mu push)), and soil
// sinks no further once its bearing share carries the load.
#pragma once

#include "core/model/model.hpp"

namespace kinloop {

/// A force that opposes a depth, and how it changes with depth and rate; none is negative.
struct OneSidedForce {
  double force_N = 0.0;
  double stiffness = 0.0;  // N/m
  double damping = 0.0;    // N s/m
};

/// Zero where depth_m is not positive.
OneSidedForce one_sided_force(double stiffness, double dissipation, double depth_m, double rate_m_s) noexcept;

/// What a plane does to a point that is `depth_m` below it.
struct PlaneForce {
  OneSidedForce push;  // along the normal
  double drag = 0.0;   // N s/m, secant: against the sliding on a firm plane, against all motion in soil
};

/// `speed_m_s` is that of the motion which the drag opposes. Depth above zero.
PlaneForce plane_force(const Plane& plane, double depth_m, double rate_m_s, double speed_m_s) noexcept;

/// The derivatives of push and drag, by the branch that acts.
struct PlaneSlope {
  double push_by_depth = 0.0, push_by_rate = 0.0;
  double drag_by_depth = 0.0, drag_by_rate = 0.0, drag_by_speed = 0.0;
};
PlaneSlope plane_slope(const Plane& plane, double depth_m, double rate_m_s, double speed_m_s) noexcept;

/// Energy that the push gives back where the point leaves slowly.
double plane_energy(const Plane& plane, double depth_m) noexcept;

}  // namespace kinloop
