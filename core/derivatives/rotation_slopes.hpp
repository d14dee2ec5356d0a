// Owns the derivatives of steps on the manifold of the configuration, along the speeds;
// core/kinematics/configuration.hpp.
#pragma once

#include "core/model/model.hpp"

namespace kinloop {

/// q = q0 + increment: from how q0 and the increment change, how q does. All column by column; dq is overwritten. No
/// allocation.
void advance_slopes(const Model& model, const double* increment, const MatrixX& d_increment, MatrixX& dq) noexcept;

/// Of increment_rate(): `d_rate` from how the increment and the speeds change. No allocation.
void increment_rate_slopes(const Model& model, const double* increment, const double* v, const MatrixX& d_increment,
                           const MatrixX& dv, MatrixX& d_rate) noexcept;

/// Of configuration_difference() from a q0 that stays: how the increment changes where q does. In place. No allocation.
void difference_slopes(const Model& model, const double* increment, MatrixX& dq) noexcept;

}  // namespace kinloop
