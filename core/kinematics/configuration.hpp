// Owns steps of the configuration on its own manifold: coordinates add, quaternions turn.
//
// An increment has one entry per speed. For a scalar coordinate it is a difference; for a quaternion its three entries
// are a rotation vector theta in the axes of the body: q = q0 * exp(theta). Integrators work on increments, which are
// an ordinary vector space (Runge-Kutta-Munthe-Kaas), and so keep their order and the unit length.
#pragma once

#include "core/model/model.hpp"

namespace kinloop {

/// q = q0 + increment; quaternions of q have unit length. q may be q0.
void advance_configuration(const Model& model, const double* q0, const double* increment, double* q) noexcept;

/// The increment that leads from q0 to q1, rotations by the shorter way.
void configuration_difference(const Model& model, const double* q0, const double* q1, double* increment) noexcept;

/// The increment from where `a` leads to where `b` leads, both from the same configuration, for rotations of samples of
/// a motion: by the series of Baker, Campbell and Hausdorff, whose first term left out is of order 5 in their distance
/// in time. `increment` is neither of them.
void increment_between(const Model& model, const VectorX& a, const VectorX& b, VectorX& increment) noexcept;

/// d(increment)/dt at speeds v: v itself, or theta' = dexpinv(theta) w. For |theta| < 2 pi. rate may be v.
void increment_rate(const Model& model, const double* increment, const double* v, double* rate) noexcept;

}  // namespace kinloop
