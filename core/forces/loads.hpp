// Owns Loads: what acts on a mechanism from outside during one evaluation, and the addition of all forces to it.
#pragma once

#include <vector>

#include "core/kinematics/workspace.hpp"

namespace kinloop {

/// A force at a point of a body, with a couple besides; world axes.
struct ExternalWrench {
  int body = 0;
  Vector3 point = Vector3::Zero();  // in the frame in which the file describes the body
  Vector3 force = Vector3::Zero();
  Vector3 moment = Vector3::Zero();
};

struct Loads {
  explicit Loads(const Model& model)
      : tau(VectorX::Zero(model.nv())), stiffness(tau), stiffness_from(tau), damping(tau), damping_from(tau) {}

  VectorX tau;  // applied along every speed, between predecessor and successor
  /// How tau falls as a coordinate goes beyond `stiffness_from`, or a speed above `damping_from`, where it is what
  /// `tau` says: oil and motors answer within a step. One entry per speed, not negative. Integrators that are implicit
  /// take it into account, the others hold tau over the step.
  VectorX stiffness, stiffness_from, damping, damping_from;
  std::vector<ExternalWrench> wrenches;
};

/// Adds applied loads, joint springs, friction and limits, springs, bushings, ropes and contacts to ws.tau and ws.load.
/// Needs update_kinematics() of the same q and v.
void add_forces(const Model& model, const double* q, const double* v, const Loads& loads, Workspace& ws) noexcept;

/// Potential energy of springs, bushings, ropes, contacts and joint springs; needs update_kinematics().
double spring_energy(const Model& model, const double* q, const Workspace& ws) noexcept;

}  // namespace kinloop
