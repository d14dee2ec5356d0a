// Owns SegmentElimination: one segment of recursive coordinate reduction, 000 §3-5, with the memory it needs.
//
//   paper                    here
//   phantom coordinates      gone with the rows they move (closing_rows.hpp), or the last unknowns of the segment
//   tail p ... n, dependents u; ClosingSolve picks the dependents by pivoting: rank is found
//   Y, z, H                  u_D = T u_I + sum_e E_e A_e + eps over the externals e: parent and bases
//   K_pp, K_p0, K_00         RcrBodies::K, and ::cross between a body and an open base (B), (MATH 4.4)
//
// A segment is at most a few bodies, so it is assembled in joint space at the point x_p of its parent, as in 003 §4,
// instead of body by body. Where the top hangs on the ground, x_p stands for the top's own point: the ground's origin
// may lie kilometres away.
#pragma once

#include "core/dynamics/articulated.hpp"
#include "core/loops/segments.hpp"
#include "core/math/closing_solve.hpp"

namespace kinloop {

/// The mechanism at one evaluation, as all segments see it.
struct RcrMechanism {
  LoopGraph graph;
  std::vector<LoopSample> samples;
  ClosingRows rows;
  SegmentPlan plan;
  GraphMotion motion;
  std::vector<double> armature;  // per slot

  explicit RcrMechanism(const Model& model);
};

/// What segments hand to each other.
struct RcrBodies {
  RcrBodies(const Model& model, const RcrMechanism& mechanism);

  std::vector<Articulated> K;  // at x_b, with all that was eliminated beyond; without a force
  std::vector<Pair> F, A;      // at x_b
  std::vector<Matrix6> cross;  // rows at x of the body, columns at x of the ancestor
  VectorX u;                   // per slot
};

class SegmentElimination {
 public:
  SegmentElimination(const Segment& segment, const RcrMechanism& mechanism);

  /// Takes the segment's inertia out and adds what it leaves to its externals. False if a free unknown moves no inertia.
  bool factorize(const RcrMechanism& mechanism, double tolerance, bool held, RcrBodies& bodies) noexcept;

  /// The same for forces, tau per speed and the motions wanted of the closures; after factorize().
  void inward(const RcrMechanism& mechanism, const ClosureMotion& wanted, const VectorX& tau,
              RcrBodies& bodies) noexcept;
  /// Unknowns and accelerations from those of the externals.
  void outward(const RcrMechanism& mechanism, const ClosureMotion& wanted, RcrBodies& bodies) noexcept;

  /// How many unknowns depend on others.
  int rank() const noexcept { return closing_.rank(); }
  const ClosingSolve& closing() const noexcept { return closing_; }

 private:
  /// What one external means to the unknowns.
  struct External {
    std::vector<Pair> E;  // per dependent: u = ... + E A
    std::vector<Pair> B;  // per unknown: A^T B u in the energy
    std::vector<Pair> Z;  // M E + B
    std::vector<Pair> g;  // per independent: L^-1 T^T Z
    std::vector<Pair> X;  // per row: S u + X A + s = 0
  };

  void place_columns(const RcrMechanism& mechanism) noexcept;
  void assemble(const RcrMechanism& mechanism, RcrBodies& bodies) noexcept;
  void add_cross(const SegmentCross& cross, RcrBodies& bodies) noexcept;
  void fill_rows(const RcrMechanism& mechanism) noexcept;
  void depend() noexcept;
  bool reduce() noexcept;
  void hand_over(RcrBodies& bodies) const noexcept;
  void square(const External& e, Articulated& K) const noexcept;
  Matrix6 product(const External& e, const External& f) const noexcept;
  void add_bias_forces(const RcrMechanism& mechanism, const ClosureMotion& wanted, RcrBodies& bodies) noexcept;
  void find_eps(const RcrMechanism& mechanism, const ClosureMotion& wanted) noexcept;

  double& M(int i, int j) noexcept { return M_[static_cast<std::size_t>(i * n_ + j)]; }
  double M(int i, int j) const noexcept { return M_[static_cast<std::size_t>(i * n_ + j)]; }
  double& L(int i, int j) noexcept { return L_[static_cast<std::size_t>(i * n_ + j)]; }
  double L(int i, int j) const noexcept { return L_[static_cast<std::size_t>(i * n_ + j)]; }

  const Segment& segment_;
  int n_;                               // unknowns
  int rows_ = 0;                        // of the closing conditions
  bool biased_ = false;                 // some body hangs on a closing joint, which has a motion of its own
  int independents_ = 0;
  std::vector<Vec3> y_;                 // per body: x_b - x_p
  std::vector<Articulated> composite_;  // at x_p: the body and all beyond it in the segment
  std::vector<Pair> c_;                 // columns at x_p
  std::vector<Pair> bias_, force_;      // per body, at x_p
  std::vector<Pair> row_;               // closing conditions at x_p
  std::vector<double> M_, L_;
  std::vector<double> h_, eps_, u_, reduced_, s_;
  ClosingSolve closing_;
  std::vector<External> externals_;
};

}  // namespace kinloop
