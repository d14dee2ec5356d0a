// Owns the stick figure of a mechanism: the points and lines that stand for its bodies, and where they are at a state.
#pragma once

#include <array>
#include <vector>

#include "core/kinematics/workspace.hpp"

namespace kinloop::plot {

/// Frame A on the predecessor, frame B on the successor, in the reference frames of their bodies.
struct SkeletonJoint {
  JointType type = JointType::kFixed;
  int predecessor = 0, successor = 0;
  Pose X_PA, X_SB;
  bool closes_loop = false;
  std::vector<Vector3> profile;  // of a cam, in frame A
};

struct SkeletonSpring {
  int body_a = 0, body_b = 0;
  Vector3 point_a, point_b;
  bool is_elastic = true;  // else a damper or a constant force
};

struct SkeletonRope {
  int body_a = 0, body_b = 0;
  Vector3 point_a, point_b;
};

struct BodyPoint {
  int body = 0;
  Vector3 point;
};

struct SkeletonShape {
  int body = 0;
  std::vector<Vector3> points;  // whose convex hull it is; a ball around each of them
  double radius = 0.0;          // of those balls
  std::array<double, 3> colour{};
};

/// Points are in the reference frames of their bodies.
struct Skeleton {
  std::vector<SkeletonJoint> joints;  // of the tree, then of the loops
  std::vector<SkeletonSpring> springs;
  std::vector<SkeletonRope> ropes;
  std::vector<BodyPoint> bushings;
  std::vector<BodyPoint> mass_points;        // centres of mass that end a stick
  std::vector<std::vector<Vector3>> sticks;  // per body: the points that it connects; the ground's is empty
  std::vector<SkeletonShape> shapes;
};

/// `marked` are points of bodies that the figure must reach, such as those whose paths are traced.
Skeleton make_skeleton(const Model& model, const std::vector<BodyPoint>& marked = {});

/// Where every body is, ground first.
using Posture = std::vector<Pose>;

/// At coordinates q (nq entries; quaternions are made unit ones). Empty if some coordinate is no number.
Posture posture_at(const Model& model, VectorX q, Workspace& ws);
/// At the initial state, driven joints where they are at time 0.
Posture initial_posture(const Model& model, Workspace& ws);

/// How far each speed could carry the points of the mechanism along x, y and z, at the state that `ws` holds.
Vector3 possible_motion(const Model& model, const Skeleton& skeleton, const Workspace& ws);

inline Vector3 at(const Posture& posture, int body, const Vector3& point) {
  const Pose& pose = posture[static_cast<std::size_t>(body)];
  return pose.p + pose.R * point;
}

/// All points of sticks and springs in the world.
std::vector<Vector3> points_of(const Skeleton& skeleton, const Posture& posture);

}  // namespace kinloop::plot
