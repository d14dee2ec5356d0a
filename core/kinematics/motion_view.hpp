// Owns the two algebras that recursions are written for, spatial and planar, and how each reads a Workspace.
#pragma once

#include <utility>

#include "core/base/at.hpp"
#include "core/kinematics/motion_plane.hpp"
#include "core/kinematics/workspace.hpp"

namespace kinloop {

/// A workspace as it stands: world axes, six numbers.
class SpatialView {
 public:
  SpatialView() = default;
  SpatialView(const Workspace& ws) noexcept : ws_(&ws) {}  // NOLINT(google-explicit-constructor): it is that workspace

  /// The workspace must be set before anything else is asked.
  void look_at(const Workspace& ws) noexcept { ws_ = &ws; }
  const Workspace& workspace() const noexcept { return *ws_; }

  SpatialVector of(const SpatialVector& a) const noexcept { return a; }
  /// x_k - x_parent.
  Vec3 arm(int body) const noexcept { return ws_->motion[at(body)].r; }
  /// Of a speed, at x_k.
  SpatialVector column(int speed) const noexcept { return {ws_->Hw[at(speed)], ws_->Hv[at(speed)]}; }
  /// At x_k.
  SpatialVector load(int body) const noexcept { return {ws_->load[at(body)].n, ws_->load[at(body)].f}; }
  Vec3 arm_pred(int loop) const noexcept { return ws_->loop_constraint[at(loop)].arm_pred; }
  Vec3 arm_succ(int loop) const noexcept { return ws_->loop_constraint[at(loop)].arm_succ; }
  SpatialVector H(int loop, int i) const noexcept { return ws_->loop_constraint[at(loop)].H(i); }

 private:
  const Workspace* ws_ = nullptr;
};

/// Its part in a plane: axes of the plane, three numbers.
class PlanarView {
 public:
  explicit PlanarView(MotionPlane plane) : plane_(std::move(plane)) {}

  void look_at(const Workspace& ws) noexcept { ws_ = &ws; }
  const Workspace& workspace() const noexcept { return *ws_; }
  const MotionPlane& plane() const noexcept { return plane_; }

  PlanarVector of(const SpatialVector& a) const noexcept { return plane_.vector(a); }
  PlanarArm arm(int body) const noexcept { return plane_.arm(ws_->motion[at(body)].r); }
  PlanarVector column(int speed) const noexcept {
    const double turn = plane_.turn(speed);
    return turn != 0.0 ? PlanarVector{Vec3(turn, 0.0, 0.0)} : plane_.vector(ws_->Hw[at(speed)], ws_->Hv[at(speed)]);
  }
  PlanarVector load(int body) const noexcept { return plane_.vector(ws_->load[at(body)].n, ws_->load[at(body)].f); }
  PlanarArm arm_pred(int loop) const noexcept { return plane_.arm(ws_->loop_constraint[at(loop)].arm_pred); }
  PlanarArm arm_succ(int loop) const noexcept { return plane_.arm(ws_->loop_constraint[at(loop)].arm_succ); }
  PlanarVector H(int loop, int i) const noexcept { return plane_.vector(ws_->loop_constraint[at(loop)].H(i)); }

 private:
  MotionPlane plane_;
  const Workspace* ws_ = nullptr;
};

/// Squares of the turning and of the moving part.
inline double turning2(const SpatialVector& a) noexcept { return dot(a.angular, a.angular); }
inline double moving2(const SpatialVector& a) noexcept { return dot(a.linear, a.linear); }
inline double turning2(const PlanarVector& a) noexcept { return a.parts.x() * a.parts.x(); }
inline double moving2(const PlanarVector& a) noexcept { return a.parts.y() * a.parts.y() + a.parts.z() * a.parts.z(); }

struct SpatialAlgebra {
  using Vector = SpatialVector;
  using Arm = Vec3;
  using View = SpatialView;
};

/// 003: three coordinates a body.
struct PlanarAlgebra {
  using Vector = PlanarVector;
  using Arm = PlanarArm;
  using View = PlanarView;
};

}  // namespace kinloop
