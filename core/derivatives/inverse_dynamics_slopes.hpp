// Owns InverseDynamicsSlopes: the derivatives of the forces that a motion takes, M vdot + h - Q, along every speed.
//
// For a tree by one sweep inward over composite bodies (Carpentier and Mansard, 2018; in the form of Singh, Russell and
// Wensing, 2022; docs/theory/derivatives.md §3). Force elements and loop joints add what they do between their bodies.
#pragma once

#include <array>

#include "core/base/indexed_vector.hpp"
#include "core/derivatives/motion_slopes.hpp"
#include "core/forces/force_slopes.hpp"
#include "core/kinematics/composite_inertia.hpp"

namespace kinloop {

class InverseDynamicsSlopes final : public ForceSlopes {
 public:
  explicit InverseDynamicsSlopes(const Model& model);

  /// Of inertia and weight: writes M, by_q, by_v. The workspace holds inertias at these positions. No allocation.
  void update(const MotionSlopes& motion, const Workspace& ws) noexcept;

  // What elements subtract, after update(). No allocation.
  void add(const PairSlope& pair) noexcept override;
  void add_along(int speed, double by_q, double by_v) noexcept override;

  const MatrixX& M() const noexcept { return M_; }
  const MatrixX& by_q() const noexcept { return by_q_; }  // d tau_i / d q_j, increments along the speeds
  const MatrixX& by_v() const noexcept { return by_v_; }

 private:
  /// A body and all that lies beyond it, about the common point of all.
  struct Composite : CompositeInertia {
    Mat3 gyration;  // moment by the angular part of a change of velocity
    Vec3 momentum;  // linear; the force is twice the cross product with it
    SpatialVector wrench;
  };
  /// A speed between a body of a pair and the last body that both hang on.
  struct PathSpeed {
    int speed = 0;
    double sign = 1.0;  // of b, or of a
    SpatialVector by_q, by_v;
    double winch_by_q = 0.0, winch_by_v = 0.0;
  };

  /// Speeds that follow each other, on the way from a body of one speed, else from its parent, to the ground.
  struct Run {
    int first, end;
  };
  /// What the products with all columns on that way share, four speeds side by side: one row a number.
  enum Row { kColumn = 0, kByQ = 6, kByV = 12, kPsi = 18, kRows = 21 };
  using Block = std::array<double, 4 * kRows>;
  /// How the composite beyond speed i answers.
  struct Answer {
    SpatialVector u;           // its inertia times J_i
    SpatialVector by_q, by_v;  // its wrench, moved along i or by its speed
    Vec3 y;                    // of the rows that follow psi or J of others
  };

  void find_path(int a, int b) noexcept;
  void find_runs();
  void pack(const MotionSlopes& motion) noexcept;
  void multiply_way(int body, int i, const Answer& answer) noexcept;

  const Model& model_;
  const MotionSlopes* motion_ = nullptr;
  IndexedVector<Composite> composite_;
  IndexedVector<Run> runs_;
  IndexedVector<int> first_run_;  // per body, and one more
  IndexedVector<Block> blocks_;
  bool is_chain_ = true;  // every body hangs on the one before: each pair of speeds is on one way
  MatrixX M_, by_q_, by_v_;
  IndexedVector<PathSpeed> path_;
  int path_count_ = 0;
};

}  // namespace kinloop
