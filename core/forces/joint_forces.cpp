// Implements the forces along joint coordinates.
#include "core/forces/joint_forces.hpp"

#include <algorithm>
#include <cmath>

namespace kinloop {
namespace {

/// How far q has gone into an end stop: negative below, positive above, zero inside the range.
double penetration(const CoordinateConstants& c, double q) noexcept {
  return c.limited ? q - std::clamp(q, c.lower, c.upper) : 0.0;
}

}  // namespace

double joint_force(const CoordinateConstants& c, double q, double u) noexcept {
  double force = -c.damping * u;
  if (c.stiffness != 0.0) force -= c.stiffness * (q - c.rest);
  if (c.dry_friction != 0.0) force -= c.dry_friction * std::tanh(u / c.friction_speed);
  const double depth = penetration(c, q);
  if (depth != 0.0) {
    const double stop = -c.limit_stiffness * depth - c.limit_damping * u;
    // A stop pushes, it never pulls back while the joint leaves it.
    force += depth > 0.0 ? std::min(stop, 0.0) : std::max(stop, 0.0);
  }
  return force;
}

JointTangent joint_tangent(const CoordinateConstants& c, double q, double u, double dt_s) noexcept {
  JointTangent tangent{std::max(c.stiffness, 0.0), c.damping};
  if (c.dry_friction != 0.0) {
    const double ratio = u / c.friction_speed;
    const double secant = std::abs(ratio) < 1e-4 ? 1.0 : std::tanh(ratio) / ratio;
    tangent.damping += c.dry_friction / c.friction_speed * secant;
  }
  const double depth = penetration(c, q);
  const bool pushes = (c.limit_stiffness * depth + c.limit_damping * u) * depth > 0.0;
  if (pushes || (depth == 0.0 && penetration(c, q + dt_s * u) != 0.0)) {
    tangent.stiffness += c.limit_stiffness;
    tangent.damping += c.limit_damping;
  }
  return tangent;
}

double joint_energy(const CoordinateConstants& c, double q) noexcept {
  const double stretch = q - c.rest;
  const double depth = penetration(c, q);
  return 0.5 * (c.stiffness * stretch * stretch + c.limit_stiffness * depth * depth);
}

}  // namespace kinloop
