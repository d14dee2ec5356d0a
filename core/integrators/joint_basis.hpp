// Owns JointBasis: speeds of a joint in which an inertia that was added to it is diagonal.
//
// An implicit step adds an inertia B to the speeds u of a joint with several of them: what bushings, springs and
// contacts add is no diagonal matrix. With u = T y and T^T B T = D it is one again along the speeds y: columns H T,
// forces T^T tau, armature D, and any recursion that reads columns, forces and armature solves for y' without knowing.
// T is made by orthogonalization of the unit vectors in the metric of B, the heaviest first, so that no entry is large:
// each y keeps its own u with the factor 1. That is a factorization B = L D L^T with diagonal pivots, T = L^-T. Joints
// of each number of speeds have code of their own: loops of fixed length take half the instructions.
#pragma once

#include "core/base/indexed_vector.hpp"
#include "core/dynamics/forward_dynamics.hpp"
#include "core/forces/local_tangent.hpp"
#include "core/kinematics/workspace.hpp"

namespace kinloop {

class JointBasis {
 public:
  /// Room for the joints with several speeds.
  explicit JointBasis(const Model& model);

  void clear() noexcept { count_ = 0; }
  bool is_empty() const noexcept { return count_ == 0; }
  /// B of a joint's speeds; symmetric, not negative. Driven speeds keep to themselves: their rows and columns of B are
  /// zero. No allocation.
  void add(int first, int speeds, const JointMatrix& B) noexcept;

  /// From u to y: columns, forces and armature of an evaluation. No allocation.
  void enter(Workspace& ws) const noexcept;
  /// The columns alone.
  void enter_columns(Workspace& ws) const noexcept;
  /// From y to u.
  void leave(VectorX& rates) const noexcept;

 private:
  struct Joint {
    int first = 0, speeds = 0;
    JointMatrix T;
    Vector6 D;
  };
  template <class Function>
  static void with_size(const Joint& joint, Function&& function);
  IndexedVector<Joint> joints_;
  int count_ = 0;
};

/// A formulation whose last solve() was made in the speeds of a basis, for those who project with its factors.
class InJointBasis final : public Dynamics {
 public:
  InJointBasis(const JointBasis& basis, Dynamics& solver) noexcept : basis_(basis), solver_(solver) {
    report_ = solver.report();
  }
  std::string_view name() const noexcept override { return solver_.name(); }
  StepStatus solve(const Model& model, Workspace& ws) noexcept override { return refactorize(model, ws); }
  StepStatus refactorize(const Model& model, Workspace& ws) noexcept override {
    basis_.enter_columns(ws);
    return solver_.refactorize(model, ws);
  }
  void solve_dependents(VectorX& q) noexcept override { solver_.solve_dependents(q); }
  void project(const ConstraintTarget& motion, VectorX& step) noexcept override {
    solver_.project(motion, step);
    basis_.leave(step);
  }

 private:
  const JointBasis& basis_;
  Dynamics& solver_;
};

}  // namespace kinloop
