// Owns Workspace: every intermediate of an evaluation, sized once from the Model. World axes throughout.
//
// The reference point x_k of body k is the origin of frame B of its inboard joint. Accelerations are those of the
// body-fixed point at x_k. They are split as A = A^ + A_t (docs/theory/conventions.md §4): A^ is linear in vdot, A_t is
// all the rest, and the ground's A_t is minus gravity, so that weight needs no term of its own.
#pragma once

#include "core/base/indexed_vector.hpp"
#include "core/kinematics/loop_constraint.hpp"
#include "core/model/model.hpp"
#include "core/spatial/spatial_vector.hpp"

namespace kinloop {

/// Pose, velocity and A_t of a body.
struct BodyMotion {
  Mat3 R;   // reference frame in the world
  Vec3 x;   // reference point
  Vec3 r;   // x_k - x_parent, not a difference of world positions: as accurate far from the origin as near it
  Vec3 w;   // angular velocity
  Vec3 v;   // velocity of the body-fixed point at x
  Vec3 al;  // A_t: angular acceleration at vdot = 0
  Vec3 a;   // A_t: acceleration of that point at vdot = 0, minus gravity
};

/// Inertia of a body about x_k, and the force that is left to accelerate it.
struct BodyLoad {
  Mat3 J;   // moments of inertia about x
  Vec3 mc;  // mass times (centre of mass - x)
  Vec3 n;   // moment about x: applied - gyroscopic - I A_t
  Vec3 f;   // force: applied - centrifugal - I A_t
};

/// Gains of Baumgarte's stabilization, 1/s: G (bias - 2 a rate - b^2 error). Zero: none.
struct Baumgarte {
  double a_per_s = 0.0, b_per_s = 0.0;
};

struct Workspace {
  explicit Workspace(const Model& model);

  // Written by update_kinematics().
  IndexedVector<BodyMotion> motion;    // one per body
  IndexedVector<BodyLoad> load;        // one per body; completed by add_forces()
  IndexedVector<Vec3> Hw, Hv;          // motion columns at x_k, one per speed
  IndexedVector<double> sine, cosine;  // of every entry of q
  VectorX prescribed;                  // vdot of driven speeds, zero elsewhere

  Baumgarte baumgarte;  // set before a step, read by update_loop_constraints()

  // Written by update_loop_constraints().
  IndexedVector<Vec3> from_root;  // x_k - x of the first body on the way from the ground to body k; empty if not needed
  IndexedVector<LoopConstraint> loop_constraint;  // one per loop joint
  VectorX coupling_error;                         // one per coupling
  VectorX coupling_rate;
  VectorX coupling_bias;  // what the speeds that are not driven must do about it

  // Written by add_forces().
  VectorX tau;  // generalised force along every speed

  /// Inertia along every speed itself: the model's rotors, and for the time of an implicit step what stiffness and
  /// damping add to them.
  VectorX armature;

  // Written by a formulation.
  VectorX vdot;
  IndexedVector<SpatialVector> A;  // A^ per body, ground first (zero)
};

}  // namespace kinloop
