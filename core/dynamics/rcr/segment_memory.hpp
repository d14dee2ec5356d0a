// Owns SegmentMemory: the numbers of one segment, with sizes and shape that the compiler may know.
#pragma once

#include <algorithm>
#include <vector>

#include "core/base/at.hpp"
#include "core/base/indexed_vector.hpp"
#include "core/dynamics/rcr/rcr_mechanism.hpp"
#include "core/math/complete_pivot_solve.hpp"

namespace kinloop::rcr {

/// How the bodies of a segment hang together.
enum class Shape {
  kAny,
  kChain,   // each on the one before
  kHinges,  // a chain whose joints have one coordinate each
};

/// How many unknowns depend on others and how many on none; as constants where the compiler is to unroll loops over
/// them.
template <class Dependents, class Independents>
struct Ranks {
  [[no_unique_address]] Dependents dependents;
  [[no_unique_address]] Independents independents;
};
template <class Dependents, class Independents>
Ranks(Dependents, Independents) -> Ranks<Dependents, Independents>;

/// A body of the segment.
struct SegmentLink {
  int body = 0, parent = 0;
  int up = -1;             // place of the parent in the segment
  int first = 0, end = 0;  // unknowns
  int loop = -1;           // its joint, where that closes a loop of the file
  bool gathers = false;    // its inertia is in RcrWorkspace::K
  double sign = 1.0;       // +1: the body is the successor of its joint
  double mass = 0.0;
};

struct SegmentUnknown {
  int slot = 0, speed = -1;
  int body = -1;          // place of the body it moves
  double armature = 0.0;  // of one without a speed
};

/// With sizes and shape that the compiler knows, or kAnySize and kAny.
template <class Algebra, Shape kShape, int kBodyCount, int kUnknownCount, int kRowCount, int kBoundaryCount>
class SegmentMemory {
 public:
  using Vector = typename Algebra::Vector;
  using Arm = typename Algebra::Arm;
  using Inertia = typename RcrInertias<Algebra>::Inertia;
  using Block = typename RcrInertias<Algebra>::Block;
  using View = typename Algebra::View;
  using Mechanism = BasicRcrMechanism<Algebra>;
  using Shared = BasicRcrWorkspace<Algebra>;
  using Target = RcrTarget<Algebra>;

  /// With room for so many rows that other segments delay, each with an unknown of its own.
  SegmentMemory(const Segment& of, const Mechanism& mechanism, int row_count, int max_delayed = 0)
      : SegmentMemory(of, Sizes{of.bodies.count(), of.slots.count() + max_delayed, row_count + max_delayed,
                                of.boundary.count()}) {
    leaves_zeros = leaves_zeros || max_delayed > 0;
    leaves_gaps = leaves_gaps || max_delayed > 0;
    own_rows_ = row_count;
    set_delayed(0);
    for (int i = 0; i < bodies(); ++i) {
      const int b = of.bodies[i];
      const GraphBody& body = mechanism.graph.bodies[b];
      SegmentLink& own = link[i];
      own.body = b;
      own.parent = body.parent;
      own.up = of.parent_in[i];
      own.first = of.first_slot[i];
      own.end = of.first_slot[i + 1];
      own.loop = mechanism.graph.edges[body.edge].loop;
      own.sign = body.sign;
      own.mass = mechanism.mass[b];
      own.gathers = mechanism.gathers[b] != 0;
    }
    while (unbiased < bodies() && link[unbiased].loop < 0) ++unbiased;
    for (int j = 0; j < own_unknowns(); ++j) {
      const int slot = of.slots[j];
      unknown[j] = {slot, mechanism.graph.slot_speed[slot], of.slot_body[j], 0.0};
      if (unknown[j].body < 0) closing.set_role(j, UnknownRole::kPhantom);
      leaves_gaps = leaves_gaps || unknown[j].body < 0;
    }
    int r = 0;
    for (const SegmentClosing& loop : of.closings) {
      const auto index = at(loop.index);
      length_m = std::max(length_m, mechanism.rows.length_m(index));
      const std::size_t count = mechanism.rows.of(index).size();
      for (std::size_t i = 0; i < count; ++i) closing.set_measure(r++, mechanism.rows.size_in_file(index, i));
    }
    if (of.closings.empty()) length_m = mechanism.length_m;
  }

  int bodies() const noexcept {
    if constexpr (kBodyCount >= 0) return kBodyCount;
    return size_.bodies;
  }
  int unknowns() const noexcept {
    if constexpr (kUnknownCount >= 0) return kUnknownCount;
    return size_.unknowns;
  }
  /// Without those that come with delayed rows.
  int own_unknowns() const noexcept {
    if constexpr (kUnknownCount >= 0) return kUnknownCount;
    return segment.slots.count();
  }
  int own_rows() const noexcept { return own_rows_; }
  /// So many rows were delayed by others and are to be solved here.
  void set_delayed(int count) noexcept {
    if constexpr (kUnknownCount < 0) {
      for (int j = own_unknowns(); j < own_unknowns() + count; ++j) unknown[j] = {-1, -1, -1, 1.0};
      size_.unknowns = own_unknowns() + count;
      size_.rows = own_rows_ + count;
      closing.set_rows(size_.rows);
      closing.set_columns(size_.unknowns);
    }
  }
  int rows() const noexcept {
    if constexpr (kRowCount >= 0) return kRowCount;
    return size_.rows;
  }
  int boundary_count() const noexcept {
    if constexpr (kBoundaryCount >= 0) return kBoundaryCount;
    return size_.boundaries;
  }

  int up(int i) const noexcept {
    if constexpr (kShape != Shape::kAny) return i - 1;
    return link[i].up;
  }
  int first(int i) const noexcept {
    if constexpr (kShape == Shape::kHinges) return i;
    return link[i].first;
  }
  int end(int i) const noexcept {
    if constexpr (kShape == Shape::kHinges) return i + 1;
    return link[i].end;
  }
  bool is_biased() const noexcept { return unbiased < bodies(); }

  /// Inertia of the unknowns.
  double& M(int i, int j) noexcept { return M_[i * unknowns() + j]; }
  double M(int i, int j) const noexcept { return M_[i * unknowns() + j]; }
  void clear_M() noexcept {
    for (double& value : M_) value = 0.0;
  }
  /// Cholesky factor of what is left of it for the independents, with the inverse of its diagonal.
  double& L(int i, int j) noexcept { return L_[i * unknowns() + j]; }
  double L(int i, int j) const noexcept { return L_[i * unknowns() + j]; }

  // What boundary body e means to the unknowns.
  /// Per dependent: u = ... + E A.
  Vector& E(int e, int d) noexcept { return E_[e * unknowns() + d]; }
  const Vector& E(int e, int d) const noexcept { return E_[e * unknowns() + d]; }
  /// Per unknown: A^T B u in the energy.
  Vector& B(int e, int j, Shared& all) const noexcept { return all.B[e * unknowns() + j]; }
  /// M E + B.
  Vector& Z(int e, int j) noexcept { return Z_[e * unknowns() + j]; }
  const Vector& Z(int e, int j) const noexcept { return Z_[e * unknowns() + j]; }
  /// Per independent: L^-1 T^T Z.
  Vector& g(int e, int a) noexcept { return g_[e * unknowns() + a]; }
  const Vector& g(int e, int a) const noexcept { return g_[e * unknowns() + a]; }
  /// Per row of the closing conditions.
  Vector& X(int e, int r) noexcept { return X_[e * rows() + r]; }
  const Vector& X(int e, int r) const noexcept { return X_[e * rows() + r]; }
  /// The closing conditions as they were before elimination.
  double S(int r, int j) const noexcept { return S_[r * unknowns() + j]; }
  void keep_rows() noexcept {
    for (int r = 0; r < rows(); ++r) {
      const double* const from = closing.row(r);
      for (int j = 0; j < unknowns(); ++j) S_[r * unknowns() + j] = from[j];
    }
  }

  /// Calls use(body) for all that hang on the segment's parent: one, unless a coupling joins branches.
  template <class Use>
  void for_tops(Use use) const noexcept {
    use(0);
    if constexpr (kShape != Shape::kAny) return;
    for (int i = 1; i < bodies(); ++i) {
      if (up(i) < 0) use(i);
    }
  }

  /// Calls use(unknown) for all that move body i.
  template <class Use>
  void for_path(int i, Use use) const noexcept {
    for (; i >= 0; i = up(i)) {
      for (int j = first(i); j < end(i); ++j) use(j);
    }
  }

  const Segment& segment;
  SmallArray<SegmentLink, kBodyCount> link;
  SmallArray<SegmentUnknown, kUnknownCount> unknown;
  int unbiased = 0;         // so many bodies come before the first one that hangs on a closing joint of the file
  unsigned last_basis = 0;  // dependents of the last basis, as one number
  double length_m = 0.0;    // of the longest loop
  bool leaves_gaps;         // not every entry of B is written by the columns
  bool leaves_zeros;        // nor of M
  bool moves = true;        // the closing conditions of the last sweep ask for motion

  SmallArray<Arm, kBodyCount> y;               // x_b - x_p
  SmallArray<Vector, kBodyCount> bias, force;  // at x_p
  SmallArray<Vector, kUnknownCount> c;         // columns at x_p
  SmallArray<Vector, kRowCount> row;           // closing conditions at x_p
  SmallArray<double, kUnknownCount> h, eps, u, reduced;
  SmallArray<double, kRowCount> s, multiplier;
  IndexedVector<double> coupling_scale;
  SizedCompletePivotSolve<kRowCount, kUnknownCount> closing;

 private:
  struct Sizes {
    int bodies, unknowns, rows, boundaries;
  };
  static constexpr int kSquare = size_product(kUnknownCount, kUnknownCount);
  static constexpr int kOutside = size_product(kBoundaryCount, kUnknownCount);

  SegmentMemory(const Segment& of, const Sizes& size)
      : segment(of),
        link(size.bodies),
        unknown(size.unknowns),
        leaves_gaps(of.boundary.size() > 1 || !of.crosses.empty()),
        leaves_zeros(!of.crosses.empty()),
        y(size.bodies),
        bias(size.bodies),
        force(size.bodies),
        c(size.unknowns),
        row(size.rows),
        h(size.unknowns),
        eps(size.unknowns),
        u(size.unknowns),
        reduced(size.unknowns),
        s(size.rows),
        multiplier(size.rows),
        coupling_scale(of.couplings.size()),
        closing(size.rows, size.unknowns),
        size_(size),
        M_(size.unknowns * size.unknowns),
        L_(size.unknowns * size.unknowns),
        E_(size.boundaries * size.unknowns),
        Z_(size.boundaries * size.unknowns),
        g_(size.boundaries * size.unknowns),
        X_(size.boundaries * size.rows),
        S_(size.rows * size.unknowns) {}

  Sizes size_;
  int own_rows_ = 0;
  SmallArray<double, kSquare> M_, L_;
  SmallArray<Vector, kOutside> E_, Z_, g_;
  SmallArray<Vector, size_product(kBoundaryCount, kRowCount)> X_;
  SmallArray<double, size_product(kRowCount, kUnknownCount)> S_;
};

}  // namespace kinloop::rcr
