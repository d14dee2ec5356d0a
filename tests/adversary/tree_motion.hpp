// Owns the motion of all bodies in a state: poses with their derivatives, and what each speed does to each body.
#pragma once

#include <vector>

#include "tests/adversary/joint_transform.hpp"

namespace kinloop::adversary {

/// Who hangs on whom, by index: body 0 is the ground, body i + 1 is spec.bodies[i].
struct Topology {
  explicit Topology(const ModelSpec& spec);

  int nq = 0, nv = 0;
  std::vector<int> joint_pred, joint_succ, loop_pred, loop_succ;
  std::vector<int> order;       // joints, parents first
  std::vector<int> q_at, v_at;  // first coordinate and speed of every joint
  std::vector<int> inboard;     // joint of every body, -1 for the ground
  std::vector<int> joint_of_speed;
  std::vector<int> coupled, coupled_to;  // speeds of every coupling

  int body(const ModelSpec& spec, const std::string& name) const;
};

/// What a unit of one speed does: velocity at the world's point x, world axes.
struct Column {
  Vector3R w = Vector3R::Zero(), v = Vector3R::Zero(), x = Vector3R::Zero();
  /// Velocity of the body-fixed point y.
  Vector3R at(const Vector3R& y) const { return v + w.cross(y - x); }
};

/// Accelerations in it are those at vdot = 0.
struct TreeMotion {
  TreeMotion(const ModelSpec& spec, const Topology& topology, const VectorXR& q, const VectorXR& v);

  std::vector<PoseJet> body;
  std::vector<Column> column;            // one per speed
  std::vector<std::vector<int>> speeds;  // that move each body
};

}  // namespace kinloop::adversary
