// Owns the step of bodies that turn freely: free and spherical joints on the ground, for semi-implicit Euler.
//
// Euler's gyroscopic term taken explicitly gives energy to a spinning body in every step, (h w)^2 / 2 of it, until it
// flies apart. So the step is split: a kick by all other torques, then a drift without torque by the midpoint rule,
//
//   I (W1 - Wk) = -h Wm x I Wm,   Wm = (Wk + W1) / 2,   R1 = R0 cay(h Wm)          in the axes of the body,
//
// which keeps the energy, and with Cayley's map the angular momentum in space, for every h (Simo and Wong, 1991).
// I is the inertia of the body and all that hangs on it, locked: about the centre of mass for a free joint, about the
// pivot for a spherical one. What is corrected by it is of the second order in h, so the order of the step stays.
// A free joint's centre of mass is moved as a point: its reference point goes around it in a circle, which explicit
// steps would widen.
//
// A drift of more than half a radian is made in parts, up to 64 of them.
//
// Not for joints whose bodies belong to loops, which the projection would tear back, nor on moving bodies.
#pragma once

#include <vector>

#include "core/dynamics/articulated_inertia.hpp"

namespace kinloop {

class FreeRotation {
 public:
  explicit FreeRotation(const Model& model);

  bool is_empty() const noexcept { return joints_.empty(); }
  /// Whether it moves this body: that of a joint it is for, or what hangs on it.
  bool is_for(int body) const noexcept;

  /// After an explicit kick of all speeds from v0 to v1 = v0 + h vdot and their increment h v1: replaces those of the
  /// joints it is for. Bodies without enough inertia keep theirs. False where a drift is not found: one of more than 32
  /// rad, or from speeds that are no numbers. No allocation.
  bool drift(const Model& model, const Workspace& ws, const double* v0, double dt_s, double* v1,
             double* increment) noexcept;

  /// Changes of the start, one per column: of coordinates along the speeds, of speeds and of the accelerations.
  struct Changes {
    const MatrixX& dq;
    const MatrixX& dv;
    const MatrixX& da;
  };
  /// What they become behind drift(): replaces the rows of its joints. False as there. No allocation.
  bool differentiate(const Model& model, const Workspace& ws, const double* v0, double dt_s, const Changes& changes,
                     MatrixX& dv1, MatrixX& d_increment) noexcept;

 private:
  struct Joint {
    int body = 0;
    int linear = -1;  // first of the speeds of a free joint's origin
    int angular = 0;
    Mat3 R_AW;
    std::vector<int> beyond;  // bodies that hang on it, children first
  };

  /// Of the body and all beyond, at its x, world axes.
  const SpatialInertia& locked_inertia(const Model& model, const Workspace& ws, const Joint& joint) noexcept;

  struct Kick;
  /// False where the body has not enough inertia.
  bool kick(const Model& model, const Workspace& ws, const Joint& joint, const double* v0, double dt_s,
            Kick& kick) noexcept;
  void inertia_change(const Model& model, const Workspace& ws, const Joint& joint, const Kick& start, const double* dq,
                      Mat3& dI, Vec3& dd) noexcept;

  std::vector<Joint> joints_;
  std::vector<SpatialInertia> locked_;  // per body
  std::vector<SpatialVector> moved_;    // per body: relative to that of the joint
  std::vector<Vec3> place_;             // per body: from the reference point of that of the joint
};

}  // namespace kinloop
