// Gauss's principle: the accelerations minimise the sum of 1/2 A^T K A - F^T A over all bodies, minus tau^T u. Leaves
// first, each segment eliminates its unknowns and leaves a quadratic form in the accelerations of its boundary bodies.
//
// A means A^ (workspace.hpp), so no d_k appears; a closing joint inside the tree adds its bias.
#include "core/dynamics/rcr/rcr_segment.hpp"

#include <type_traits>

#include "core/base/at.hpp"
#include "core/constraints/rank_tolerance.hpp"
#include "core/dynamics/rcr/segment_matrices.hpp"
#include "core/dynamics/rcr/segment_memory.hpp"
#include "core/dynamics/rcr/segment_rows.hpp"
#include "core/dynamics/rcr/segment_vectors.hpp"

namespace kinloop {
namespace {

template <class Algebra, rcr::Shape kShape, int kBodies, int kUnknowns, int kRows, int kBoundaries>
class SizedSegment final : public SegmentElimination<Algebra> {
 public:
  using typename SegmentElimination<Algebra>::Mechanism;
  using typename SegmentElimination<Algebra>::Shared;

  SizedSegment(const Segment& segment, const Mechanism& mechanism, int rows) : m_(segment, mechanism, rows) {}

  void prepare(const Mechanism& mechanism) noexcept override {
    rcr::place_columns(mechanism, m_);
    if (m_.rows() == 0) return;
    rcr::fill_rows(mechanism, m_);
    m_.keep_rows();
  }

  void choose(double tolerance) noexcept override {
    if (m_.rows() == 0) return;
    m_.closing.solve(tolerance);
    m_.closing.reconcile();
  }

  void watch(RcrBasis& basis) noexcept override {
    if (m_.rows() > 0) {
      rcr::watch(0, m_, basis);
    } else {
      basis.free += m_.unknowns();
    }
  }

  void hold(const Mechanism& mechanism) noexcept override {
    if (m_.rows() == 0) return;
    if (!m_.closing.solve_again(kWeakened, kSmallestPivotShare)) {
      rcr::fill_rows(mechanism, m_);
      m_.closing.solve_held(kSmallestPivotShare);
    }
    m_.closing.reconcile();
  }

  bool factorize(const typename Algebra::View& view, Shared& all) noexcept override {
    rcr::assemble(view, all, m_);
    bool regular = true;
    with_ranks([&](const auto& rank) {
      rcr::depend(rank, m_);
      regular = rcr::reduce(rank, all, m_);
      rcr::hand_over(rank, m_, all);
    });
    return regular;
  }

  void inward(const Mechanism& mechanism, const RcrTarget<Algebra>& wanted, const VectorX& tau,
              Shared& all) noexcept override {
    rcr::gather_forces(mechanism, wanted, tau, all, m_);
    with_ranks([&](const auto& rank) {
      if (all.is_refinement && m_.rows() > 0) rcr::balance_by_multipliers(rank, all, m_);
      rcr::reduce_forces(rank, all, m_);
    });
  }

  void outward(Shared& all) noexcept override {
    with_ranks([&](const auto& rank) { rcr::outward(rank, all, m_); });
  }

 private:
  /// Nearly always every row has a dependent of its own: then both numbers are known with the sizes.
  template <class Use>
  void with_ranks(Use use) noexcept {
    if constexpr (kUnknowns >= 0 && kRows >= 0 && kRows <= kUnknowns) {
      using Dependents = std::integral_constant<int, kRows>;
      using Independents = std::integral_constant<int, kUnknowns - kRows>;
      if (m_.closing.rank() == kRows && m_.closing.independents() == kUnknowns - kRows) {
        return use(rcr::Ranks{Dependents{}, Independents{}});
      }
    }
    use(rcr::Ranks{m_.closing.rank(), m_.closing.independents()});
  }

  rcr::SegmentMemory<Algebra, kShape, kBodies, kUnknowns, kRows, kBoundaries> m_;
};

rcr::Shape shape_of(const Segment& segment) {
  bool hinges = true;
  for (int i = 0; i < segment.bodies.count(); ++i) {
    if (segment.parent_in[i] != i - 1) return rcr::Shape::kAny;
    hinges = hinges && segment.first_slot[i + 1] == segment.first_slot[i] + 1;
  }
  return hinges ? rcr::Shape::kHinges : rcr::Shape::kChain;
}

/// Makes the segment if it has this shape and these sizes.
template <rcr::Shape kShape, int kBodies, int kUnknowns, int kRows, int kBoundaries, class Algebra>
bool make_sized(const Segment& segment, const BasicRcrMechanism<Algebra>& mechanism, int rows,
                std::unique_ptr<SegmentElimination<Algebra>>& out) {
  if (shape_of(segment) != kShape || segment.bodies.size() != kBodies || segment.slots.size() != kUnknowns ||
      rows != kRows || segment.boundary.size() != kBoundaries) {
    return false;
  }
  out =
      std::make_unique<SizedSegment<Algebra, kShape, kBodies, kUnknowns, kRows, kBoundaries>>(segment, mechanism, rows);
  return true;
}

}  // namespace

int row_count(const Segment& segment, const ReducedLoopRows& rows) {
  std::size_t count = segment.couplings.size();
  for (const SegmentClosing& closing : segment.closings) count += rows.of(at(closing.index)).size();
  return static_cast<int>(count);
}

template <class Algebra>
std::unique_ptr<SegmentElimination<Algebra>> make_segment_elimination(const Segment& segment,
                                                                      const BasicRcrMechanism<Algebra>& mechanism) {
  using rcr::Shape;
  const int rows = row_count(segment, mechanism.rows);
  std::unique_ptr<SegmentElimination<Algebra>> made;
  bool usual =
      make_sized<Shape::kHinges, 1, 1, 0, 1>(segment, mechanism, rows, made) ||  // a body on its own
      make_sized<Shape::kHinges, 1, 1, 0, 0>(segment, mechanism, rows, made) ||
      make_sized<Shape::kHinges, 2, 2, 2, 1>(segment, mechanism, rows, made) ||  // the end of a loop in a plane
      make_sized<Shape::kHinges, 3, 3, 2, 1>(segment, mechanism, rows, made) ||  // a whole loop in a plane
      make_sized<Shape::kHinges, 3, 3, 2, 0>(segment, mechanism, rows, made);
  if constexpr (std::is_same_v<Algebra, SpatialAlgebra>) {
    usual = usual || make_sized<Shape::kChain, 1, 6, 0, 0>(segment, mechanism, rows, made) ||  // a body that floats
            make_sized<Shape::kChain, 2, 4, 4, 1>(segment, mechanism, rows, made);             // a leg of a hexapod
  }
  if (usual) return made;
  return std::make_unique<SizedSegment<Algebra, Shape::kAny, kAnySize, kAnySize, kAnySize, kAnySize>>(segment,
                                                                                                      mechanism, rows);
}

template std::unique_ptr<SegmentElimination<SpatialAlgebra>> make_segment_elimination(
    const Segment& segment, const BasicRcrMechanism<SpatialAlgebra>& mechanism);
template std::unique_ptr<SegmentElimination<PlanarAlgebra>> make_segment_elimination(
    const Segment& segment, const BasicRcrMechanism<PlanarAlgebra>& mechanism);

}  // namespace kinloop
