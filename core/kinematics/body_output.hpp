// Owns BodyOutput: the motion of a body as its file describes it, in world axes, gravity not mixed in.
#pragma once

#include "core/kinematics/workspace.hpp"

namespace kinloop {

struct BodyOutput {
  Matrix3 R;         // the file's body frame in the world
  Vector3 p;         // its origin
  Vector3 omega;     // angular velocity
  Vector3 v_origin;  // of the body-fixed point at its origin
  Vector3 alpha;     // angular acceleration
  Vector3 a_origin;
  Vector3 a_com;  // of the centre of mass; a massless body has none, then of the origin
};

/// Pose and velocity need update_kinematics(), accelerations a formulation's ws.A. No allocation.
BodyOutput body_output(const Model& model, const Workspace& ws, int body) noexcept;

}  // namespace kinloop
