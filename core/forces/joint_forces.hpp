// Owns what acts along a single joint coordinate: spring, damper, constant force, dry friction, end stops.
#pragma once

#include "core/forces/element_tangent.hpp"
#include "core/model/model.hpp"

namespace kinloop {

/// Generalised force at position q (ignored for the speeds of a quaternion) and speed u.
double joint_force(const CoordinateConstants& c, double q, double u) noexcept;

/// Whether an end stop acts: a stop pushes, it never pulls back while the joint leaves it.
bool stop_pushes(const CoordinateConstants& c, double q, double u) noexcept;

/// For implicit steps: dry friction counts with its secant, so that a step does not reverse a sliding joint.
JointTangent joint_tangent(const CoordinateConstants& c, double q, double u) noexcept;
/// How its damping changes with the speed, by the secant of dry friction.
double joint_damping_slope(const CoordinateConstants& c, double u) noexcept;

/// The derivatives of joint_force(), by the branch of the end stops that acts.
struct JointForceSlope {
  double by_q = 0.0;
  double by_v = 0.0;
};
JointForceSlope joint_force_slope(const CoordinateConstants& c, double q, double u) noexcept;

/// Energy stored in the spring and in the end stops, and what the constant force may still do on the way to q = 0.
double joint_energy(const CoordinateConstants& c, double q) noexcept;

}  // namespace kinloop
