// Owns MotionPlane: the plane in which a whole mechanism moves, where its joints and frames keep it in one.
#pragma once

#include <optional>
#include <vector>

#include "core/model/model.hpp"
#include "core/spatial/planar_vector.hpp"
#include "core/spatial/spatial_vector.hpp"

namespace kinloop {

/// World axes in, axes of the plane out. What leaves the plane is dropped: forces square to it and moments in it do no
/// work on bodies that turn about its normal and move along it.
class MotionPlane {
 public:
  MotionPlane(const Model& model, const Vec3& normal);

  /// Of unit length.
  const Vec3& normal() const noexcept { return normal_; }

  PlanarArm arm(const Vec3& r) const noexcept { return {to_turned_ * r}; }
  PlanarVector vector(const Vec3& angular, const Vec3& linear) const noexcept {
    return {to_plane_ * linear + to_normal_ * angular};
  }
  PlanarVector vector(const SpatialVector& a) const noexcept { return vector(a.angular, a.linear); }
  /// Back to world axes.
  SpatialVector lifted(const PlanarVector& a) const noexcept {
    return {a.parts.x() * normal_, fused(a.parts.z(), e2_, a.parts.y() * e1_)};
  }
  /// Of the only speed of a joint that turns its body about x_k and does not move that point: +1 or -1, about the
  /// normal. 0 of others: integrators may mix the columns of a joint with several speeds (JointBasis).
  double turn(int speed) const noexcept { return turn_[static_cast<std::size_t>(speed)]; }
  /// Moment of inertia of a body about the normal through its x_k: it does not depend on the state.
  double inertia(int body) const noexcept { return inertia_[static_cast<std::size_t>(body)]; }

 private:
  Vec3 normal_, e1_, e2_;
  Mat3 to_plane_;                // rows: 0, e1, e2
  Mat3 to_turned_;               // rows: 0, -e2, e1
  Mat3 to_normal_;               // rows: normal, 0, 0
  std::vector<double> inertia_;  // per body
  std::vector<double> turn_;     // per speed
};

/// The plane, if every joint of the tree turns bodies about one direction and moves them square to it, and every
/// closing joint asks for no other motion. By joints and frames alone: no state is looked at. Allocates.
std::optional<MotionPlane> find_motion_plane(const Model& model);

}  // namespace kinloop
