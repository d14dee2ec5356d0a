// Owns DelayingSegment: a segment that leaves rows for which it has no good dependent to the segment it hangs on.
//
// A short tail is singular in some positions, and the dependents of its rows then lie elsewhere on the loop, as far
// inward as the loop reaches. Pivots of at least kStrongPivot are taken here. With the independents in the basis
// y = L^T u_I, whose inertia is 1, a row that is left reads
//
//   P y + X A + s = 0,     y = r - g A + y'
//
// r and g being what elimination finds without the row (SegmentElimination::inward, factorize): then the energy of y'
// is |y'|^2 / 2 and nothing else acts on it. P = R Q^T with orthonormal columns of Q leaves as many unknowns z = Q^T y'
// as rows, each with inertia 1 and no force, and the rows
//
//   R z + (X - P g) A + (s + P r) = 0
//
// which are handed to the segment inward with their unknowns: there they are rows and unknowns like others. What is
// handed on besides, K and F, is as without the rows. (With a multiplier instead of z this is the delayed pivot of
// multifrontal methods with the compliance R R^T; R itself keeps all digits.) At most six rows for each boundary body
// can be independent, so a segment never has more than a bounded number to pass on, and the cost of a ladder stays
// proportional to its length.
#pragma once

#include <memory>
#include <vector>

#include "core/base/indexed_vector.hpp"
#include "core/dynamics/rcr/rcr_segment.hpp"
#include "core/dynamics/rcr/segment_memory.hpp"

namespace kinloop {

/// Pivots above this lose no more than two digits: what is lost grows with 1 / pivot^2.
inline constexpr double kStrongPivot = 0.05;

template <class Algebra>
class DelayingSegment final : public SegmentElimination<Algebra> {
 public:
  using typename SegmentElimination<Algebra>::Mechanism;
  using typename SegmentElimination<Algebra>::Shared;

  enum class Rows {
    kDelayed,  // to the segment inward
    kSolved,   // here at the latest: nothing inward moves tip against base
  };
  /// The ones outward that hang on this segment must have been made before, and stay.
  DelayingSegment(const Segment& segment, const Mechanism& mechanism, Rows rows,
                  const IndexedVector<DelayingSegment*>& outward);

  /// Room that it needs in RcrWorkspace::B.
  std::size_t largest_B() const noexcept { return largest_B_; }

  /// In the last evaluation: its own, and one for each row that was delayed to it.
  int unknowns() const noexcept { return m_.unknowns(); }

  void prepare(const Mechanism& mechanism) noexcept override;
  void choose(double tolerance) noexcept override;
  void hold(const Mechanism& mechanism) noexcept override;
  void watch(RcrBasis& basis) noexcept override;
  bool factorize(const typename Algebra::View& view, Shared& all) noexcept override;
  void inward(const Mechanism& mechanism, const RcrTarget<Algebra>& wanted, const VectorX& tau,
              Shared& all) noexcept override;
  void outward(Shared& all) noexcept override;

 private:
  using Vector = typename Algebra::Vector;
  using Memory = rcr::SegmentMemory<Algebra, rcr::Shape::kAny, kAnySize, kAnySize, kAnySize, kAnySize>;

  /// A segment outward, and where its boundary bodies are: inside this one, or among its own boundary bodies.
  struct Child {
    DelayingSegment* segment = nullptr;
    IndexedVector<int> inside, boundary;
  };

  void fill_rows() noexcept;
  void pivot() noexcept;
  void pivot_held() noexcept;
  /// How much the boundary bodies move what is left of a row.
  double outside(int r) const noexcept;
  Vector left_X(int r, int e) const noexcept;
  void delay_rows() noexcept;
  double motion_of(int w) noexcept;

  double& P(int w, int a) noexcept { return P_[w * max_unknowns_ + a]; }
  double& Q(int w, int a) noexcept { return Q_[w * max_unknowns_ + a]; }
  double& R(int w, int v) noexcept { return R_[w * max_delayed_ + v]; }
  Vector& X(int w, int e) noexcept { return X_[w * m_.boundary_count() + e]; }

  const Mechanism& mechanism_;
  IndexedVector<Child> children_;
  Memory m_;
  int max_unknowns_;
  int max_delayed_;
  std::size_t largest_B_;
  double tolerance_ = 0.0;
  bool held_ = false;

  // Rows that are delayed, as they are handed on.
  int delayed_ = 0;
  IndexedVector<int> row_;
  IndexedVector<double> P_, Q_, R_;
  IndexedVector<Vector> X_;
  IndexedVector<double> s_;
  IndexedVector<double> size_;  // how much a unit of z moves
  IndexedVector<double> z_;     // given back by the segment inward
};

extern template class DelayingSegment<SpatialAlgebra>;
extern template class DelayingSegment<PlanarAlgebra>;

}  // namespace kinloop
