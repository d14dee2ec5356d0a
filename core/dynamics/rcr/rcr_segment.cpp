// Gauss's principle: the accelerations minimise the sum of 1/2 A^T K A - F^T A over all bodies, minus tau^T u. Leaves
// first, each segment eliminates its unknowns and leaves a quadratic form in the accelerations of its boundary bodies.
//
// A means A^ (workspace.hpp), so no d_k appears; a closing joint inside the tree adds its bias.
#include "core/dynamics/rcr/rcr_segment.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/at.hpp"
#include "core/constraints/rank_tolerance.hpp"
#include "core/dynamics/joint_rows.hpp"
#include "core/math/complete_pivot_solve.hpp"
#include "core/math/tree_factorization.hpp"

namespace kinloop {
namespace {

SpatialVector operator*(const SpatialInertia& h, const SpatialVector& A) noexcept {
  return {h.J * A.angular + transposed_times(h.L, A.linear), h.L * A.angular + h.M * A.linear};
}

/// m + a b^T + c d^T.
void add_outer(Mat3& m, const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) noexcept {
  for (int i = 0; i < 3; ++i) m.c[at(i)] += a * b[i] + c * d[i];
}

/// h += a b^T + b a^T.
void add_symmetric(SpatialInertia& h, const SpatialVector& a, const SpatialVector& b) noexcept {
  add_outer(h.J, a.angular, b.angular, b.angular, a.angular);
  add_outer(h.L, a.linear, b.angular, b.linear, a.angular);
  add_outer(h.M, a.linear, b.linear, b.linear, a.linear);
}

/// h -= a a^T.
void subtract_square(SpatialInertia& h, const SpatialVector& a) noexcept {
  subtract_outer(h.J, a.angular, a.angular);
  subtract_outer(h.L, a.linear, a.angular);
  subtract_outer(h.M, a.linear, a.linear);
}

void add_matrix(const Matrix6& m, SpatialInertia& h) noexcept {
  h.J = h.J + Mat3(Matrix3(m.topLeftCorner<3, 3>()));
  h.L = h.L + Mat3(Matrix3(m.bottomLeftCorner<3, 3>()));
  h.M = h.M + Mat3(Matrix3(m.bottomRightCorner<3, 3>()));
}

/// shifted() of a body's own inertia, whose blocks are known by a vector and a number: with d = mc + m r / 2,
/// S = -[r]x [d]x = (r . d) 1 - d r^T.
SpatialInertia shifted_rigid(double m, const BodyLoad& load, const Vec3& r) noexcept {
  const Vec3 d = load.mc + (0.5 * m) * r;
  Mat3 J = load.J + diagonal3(2.0 * dot(r, d));
  subtract_outer(J, d, r);
  subtract_outer(J, r, d);
  return {J, skew(-(load.mc + m * r)), diagonal3(m)};
}

Vector6 six(const SpatialVector& a) noexcept { return stacked(a.angular, a.linear); }
SpatialVector pair_of(const Vector6& a) noexcept { return {Vec3(a[0], a[1], a[2]), Vec3(a[3], a[4], a[5])}; }

/// rad, or lengths of the mechanism; 1 where nothing moves.
double size_of(const SpatialVector& column, double length_m) noexcept {
  const double size2 = dot(column.angular, column.angular) + dot(column.linear, column.linear) / (length_m * length_m);
  return size2 > 0.0 ? std::sqrt(size2) : 1.0;
}

/// How the bodies of a segment hang together.
enum class Shape {
  kAny,
  kChain,   // each on the one before
  kHinges,  // a chain whose joints have one coordinate each
};

/// With sizes and shape that the compiler knows, or kAnySize and kAny.
template <Shape kShape, int kBodyCount, int kUnknownCount, int kRowCount, int kBoundaryCount>
class SizedSegment final : public SegmentElimination {
 public:
  SizedSegment(const Segment& segment, const RcrMechanism& mechanism, int rows)
      : segment_(segment),
        body_count_(static_cast<int>(segment.bodies.size())),
        unknown_count_(static_cast<int>(segment.slots.size())),
        row_count_(rows),
        boundary_count_(static_cast<int>(segment.boundary.size())),
        leaves_gaps_(boundary_count_ > 1 || !segment.crosses.empty()),
        link_(bodies()),
        unknown_(unknowns()),
        y_(bodies()),
        bias_(bodies()),
        force_(bodies()),
        c_(unknowns()),
        row_(this->rows()),
        M_(unknowns() * unknowns()),
        L_(unknowns() * unknowns()),
        h_(unknowns()),
        eps_(unknowns()),
        u_(unknowns()),
        reduced_(unknowns()),
        s_(this->rows()),
        coupling_scale_(segment.couplings.size()),
        closing_(this->rows(), unknowns()),
        E_(boundary_count() * unknowns()),
        Z_(boundary_count() * unknowns()),
        g_(boundary_count() * unknowns()),
        X_(boundary_count() * this->rows()) {
    for (int i = 0; i < bodies(); ++i) {
      const int b = segment.bodies[at(i)];
      const GraphBody& body = mechanism.graph.bodies[at(b)];
      Link& link = link_[i];
      link.body = b;
      link.parent = body.parent;
      link.up = segment.parent_in[at(i)];
      link.first = segment.first_slot[at(i)];
      link.end = segment.first_slot[at(i + 1)];
      link.loop = mechanism.graph.edges[at(body.edge)].loop;
      link.sign = body.sign;
      link.mass = mechanism.mass[at(b)];
      link.gathers = mechanism.gathers[at(b)] != 0;
    }
    while (unbiased_ < bodies() && link_[unbiased_].loop < 0) ++unbiased_;
    for (int j = 0; j < unknowns(); ++j) {
      const int slot = segment.slots[at(j)];
      unknown_[j] = {slot, mechanism.graph.slot_speed[at(slot)], segment.slot_body[at(j)],
                     mechanism.armature[at(slot)]};
      if (unknown_[j].body < 0) closing_.set_role(j, UnknownRole::kPhantom);
      leaves_gaps_ = leaves_gaps_ || unknown_[j].body < 0;
    }
    for (const SegmentClosing& closing : segment.closings) {
      length_m_ = std::max(length_m_, mechanism.rows.length_m(at(closing.index)));
    }
    if (segment.closings.empty()) length_m_ = mechanism.length_m;
  }

  void prepare(const RcrMechanism& mechanism) noexcept override {
    place_columns(mechanism);
    if (rows() > 0) fill_rows(mechanism);
  }

  void choose(double tolerance, RcrBasis& basis) noexcept override {
    if (rows() == 0) {
      basis.free += unknowns();
      return;
    }
    closing_.solve(tolerance);
    watch(basis);
  }

  bool hold(const RcrMechanism& mechanism) noexcept override {
    if (rows() == 0 || closing_.solve_again(kWeakened, kSmallestPivotShare)) return true;
    fill_rows(mechanism);
    closing_.solve_held(kSmallestPivotShare);
    return closing_.holds_rank();
  }

  bool factorize(const Workspace& ws, RcrWorkspace& all) noexcept override {
    assemble(ws, all);
    depend();
    const bool regular = reduce(all);
    hand_over(all);
    return regular;
  }

  void inward(const RcrMechanism& mechanism, const ConstraintTarget& wanted, const VectorX& tau,
              RcrWorkspace& all) noexcept override {
    for (int i = 0; i < bodies(); ++i) force_[i] = shift_force(all.F[at(link_[i].body)], y_[i]);
    if (is_biased()) add_bias_forces(mechanism, wanted, all);
    for (int i = bodies(); i-- > 1;) {
      if (up(i) >= 0) force_[up(i)] = force_[up(i)] + force_[i];
    }
    for (int j = 0; j < unknowns(); ++j) {
      const Unknown& unknown = unknown_[j];
      double h = unknown.speed >= 0 ? tau[unknown.speed] : 0.0;
      if (unknown.body >= 0) h += dot(c_[j], force_[unknown.body]);
      h_[j] = h;
    }
    if (rows() > 0) find_eps(mechanism, wanted);
    const int dependents = closing_.rank();
    const auto left = [&](int j) {
      double sum = h_[j];
      for (int d = 0; d < dependents; ++d) sum -= M(j, closing_.dependent(d)) * eps_[d];
      return sum;
    };
    for (int a = 0; a < closing_.independents(); ++a) {
      const int slot = closing_.independent(a);
      double sum = left(slot);
      for (int d = 0; d < dependents; ++d) sum += closing_.T(d, slot) * left(closing_.dependent(d));
      for (int b = 0; b < a; ++b) sum -= L(a, b) * reduced_[b];
      reduced_[a] = sum * L(a, a);
    }
    for (int e = 0; e < boundary_count(); ++e) {
      SpatialVector force;
      if (e == 0) for_tops([&](int i) { force = force + force_[i]; });
      for (int d = 0; d < dependents; ++d) {
        const int j = closing_.dependent(d);
        force = force + h_[j] * E(e, d) - eps_[d] * Z(e, j);
      }
      for (int a = 0; a < closing_.independents(); ++a) force = force - reduced_[a] * g(e, a);
      SpatialVector& F = all.F[at(segment_.boundary[at(e)])];
      F = F + force;
    }
  }

  void outward(RcrWorkspace& all) noexcept override {
    const int independents = closing_.independents();
    for (int e = 0; e < boundary_count(); ++e) {
      const SpatialVector& A = all.A[at(segment_.boundary[at(e)])];
      for (int a = 0; a < independents; ++a) reduced_[a] -= dot(g(e, a), A);
    }
    if (independents + closing_.rank() < unknowns()) {  // coordinates that nothing determines
      for (double& u : u_) u = 0.0;
    }
    for (int a = independents - 1; a >= 0; --a) {
      double sum = reduced_[a];
      for (int b = a + 1; b < independents; ++b) sum -= L(b, a) * reduced_[b];
      reduced_[a] = sum * L(a, a);
      u_[closing_.independent(a)] = reduced_[a];
    }
    for (int d = 0; d < closing_.rank(); ++d) {
      double sum = eps_[d];
      for (int a = 0; a < independents; ++a) sum += closing_.T(d, closing_.independent(a)) * reduced_[a];
      for (int e = 0; e < boundary_count(); ++e) sum += dot(E(e, d), all.A[at(segment_.boundary[at(e)])]);
      u_[closing_.dependent(d)] = sum;
    }
    for (int j = 0; j < unknowns(); ++j) all.u[unknown_[j].slot] = u_[j];
    for (int i = 0; i < bodies(); ++i) {
      const Link& link = link_[i];
      const bool inside = up(i) >= 0;
      SpatialVector own = i >= unbiased_ ? bias_[i] - (inside ? bias_[up(i)] : SpatialVector{}) : SpatialVector{};
      for (int j = first(i); j < end(i); ++j) own = own + u_[j] * c_[j];
      const Vec3 r = inside ? y_[i] - y_[up(i)] : y_[i];
      all.A[at(link.body)] = shift_motion(all.A[at(link.parent)], r) + shift_motion(own, y_[i]);
    }
  }

 private:
  struct Link {
    int body = 0, parent = 0;
    int up = -1;             // place of the parent in the segment
    int first = 0, end = 0;  // unknowns
    int loop = -1;           // its joint, where that closes a loop of the file
    bool gathers = false;    // its inertia is in RcrWorkspace::K
    double sign = 1.0;       // +1: the body is the successor of its joint
    double mass = 0.0;
  };
  struct Unknown {
    int slot = 0, speed = -1;
    int body = -1;  // place of the body it moves
    double armature = 0.0;
  };

  int bodies() const noexcept {
    if constexpr (kBodyCount >= 0) return kBodyCount;
    return body_count_;
  }
  int unknowns() const noexcept {
    if constexpr (kUnknownCount >= 0) return kUnknownCount;
    return unknown_count_;
  }
  int rows() const noexcept {
    if constexpr (kRowCount >= 0) return kRowCount;
    return row_count_;
  }
  int boundary_count() const noexcept {
    if constexpr (kBoundaryCount >= 0) return kBoundaryCount;
    return boundary_count_;
  }

  int up(int i) const noexcept {
    if constexpr (kShape != Shape::kAny) return i - 1;
    return link_[i].up;
  }
  int first(int i) const noexcept {
    if constexpr (kShape == Shape::kHinges) return i;
    return link_[i].first;
  }
  int end(int i) const noexcept {
    if constexpr (kShape == Shape::kHinges) return i + 1;
    return link_[i].end;
  }

  double& M(int i, int j) noexcept { return M_[i * unknowns() + j]; }
  double M(int i, int j) const noexcept { return M_[i * unknowns() + j]; }
  double& L(int i, int j) noexcept { return L_[i * unknowns() + j]; }
  double L(int i, int j) const noexcept { return L_[i * unknowns() + j]; }
  SpatialVector& E(int e, int d) noexcept { return E_[e * unknowns() + d]; }
  const SpatialVector& E(int e, int d) const noexcept { return E_[e * unknowns() + d]; }
  SpatialVector& B(int e, int j, RcrWorkspace& all) const noexcept { return all.B[at(e * unknowns() + j)]; }
  SpatialVector& Z(int e, int j) noexcept { return Z_[e * unknowns() + j]; }
  const SpatialVector& Z(int e, int j) const noexcept { return Z_[e * unknowns() + j]; }
  SpatialVector& g(int e, int a) noexcept { return g_[e * unknowns() + a]; }
  const SpatialVector& g(int e, int a) const noexcept { return g_[e * unknowns() + a]; }
  SpatialVector& X(int e, int r) noexcept { return X_[e * rows() + r]; }
  const SpatialVector& X(int e, int r) const noexcept { return X_[e * rows() + r]; }

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

  // ---- Matrices ----

  void place_columns(const RcrMechanism& mechanism) noexcept {
    for (int i = 0; i < bodies(); ++i) {
      const Link& link = link_[i];
      const Vec3& r = mechanism.motion.r[at(link.body)];
      const Vec3 top = segment_.parent == 0 ? r - mechanism.motion.r[at(link_[0].body)] : r;
      y_[i] = up(i) >= 0 ? y_[up(i)] + r : top;
      for (int j = first(i); j < end(i); ++j) {
        c_[j] = shift_motion(mechanism.motion.column[at(unknown_[j].slot)], -y_[i]);
      }
    }
  }

  /// M, and B of every boundary.
  void assemble(const Workspace& ws, RcrWorkspace& all) noexcept {
    SpatialInertia* const composite = all.composite.data();
    for (int i = 0; i < bodies(); ++i) {
      const Link& link = link_[i];
      const auto b = at(link.body);
      composite[i] = link.gathers ? shifted(all.K[b], y_[i]) : shifted_rigid(link.mass, ws.load[b], y_[i]);
    }
    for (int i = bodies(); i-- > 1;) {
      if (up(i) >= 0) add(composite[up(i)], composite[i]);
    }
    if (!segment_.crosses.empty()) {
      for (double& value : M_) value = 0.0;
    }
    if (leaves_gaps_) {
      for (int i = 0; i < boundary_count() * unknowns(); ++i) all.B[at(i)] = SpatialVector{};
    }
    for (int i = 0; i < bodies(); ++i) {
      for (int j = first(i); j < end(i); ++j) {
        const SpatialVector inertia = composite[i] * c_[j];
        if (boundary_count() > 0) B(0, j, all) = inertia;
        for_path(i, [&](int l) { M(j, l) = M(l, j) = dot(c_[l], inertia); });
      }
    }
    for (int j = 0; j < unknowns(); ++j) {
      M(j, j) = unknown_[j].body >= 0 ? M(j, j) + unknown_[j].armature : unknown_[j].armature;
    }
    for (const SegmentCross& cross : segment_.crosses) add_cross(cross, all);
  }

  /// An inertia between a body and an ancestor, left by a loop further out (GCL).
  void add_cross(const SegmentCross& cross, RcrWorkspace& all) noexcept {
    Matrix6 K = motion_shift(y_[cross.place].eigen()).transpose() * all.cross[at(cross.block)];
    const bool inside = cross.inside >= 0;
    if (inside) K = K * motion_shift(y_[cross.inside].eigen());
    for_path(cross.place, [&](int j) {
      const SpatialVector along = pair_of(K.transpose() * six(c_[j]));
      if (boundary_count() > 0) {
        SpatialVector& sum = B(inside ? 0 : cross.boundary, j, all);
        sum = sum + along;
      }
      if (!inside) return;
      for_path(cross.inside, [&](int l) {
        const double value = dot(along, c_[l]);
        M(j, l) += value;
        M(l, j) += value;
      });
    });
    if (boundary_count() == 0) return;
    if (inside) for_path(cross.inside, [&](int l) { B(0, l, all) = B(0, l, all) + pair_of(K * six(c_[l])); });
    if (inside || cross.boundary == 0) {
      add_matrix(K + K.transpose(), all.composite[0]);
    } else {
      all.cross[at(cross.handed_on)] += K;
    }
  }

  /// The closing conditions S u + sum X A + s = 0.
  void fill_rows(const RcrMechanism& mechanism) noexcept {
    closing_.clear();
    for (int j = 0; j < unknowns(); ++j) {
      closing_.set_size(j, size_of(mechanism.motion.column[at(unknown_[j].slot)], length_m_));
    }
    int r = 0;
    for (const SegmentClosing& closing : segment_.closings) {
      const auto index = at(closing.index);
      const Vec3 arm = y_[closing.tip] + mechanism.motion.tip_arm[index];
      for (const SpatialVector& row : mechanism.rows.of(index)) {
        double* S = closing_.row(r);
        const SpatialVector here = shift_force(row, arm);
        row_[r] = here;
        for_path(closing.tip, [&](int j) { S[j] = dot(here, c_[j]); });
        for_path(closing.base, [&](int j) { S[j] -= dot(here, c_[j]); });
        for (int j = closing.first_slot; j < closing.first_slot + closing.slots; ++j) {
          S[j] = -dot(row, mechanism.motion.column[at(unknown_[j].slot)]);
        }
        for (int e = 0; e < boundary_count(); ++e) X(e, r) = SpatialVector{};
        if (!closing.relative && boundary_count() > 0) {
          X(0, r) = here;
          if (closing.base_boundary >= 0) {
            X(closing.base_boundary, r) = -shift_force(row, mechanism.motion.base_arm[index]);
          }
        }
        ++r;
      }
    }
    for (std::size_t i = 0; i < segment_.couplings.size(); ++i) fill_coupling(i, mechanism, r++);
  }

  /// The larger of its two entries has size 1, as a row of a loop has.
  void fill_coupling(std::size_t i, const RcrMechanism& mechanism, int r) noexcept {
    const SegmentCoupling& coupling = segment_.couplings[i];
    const auto per_size = [&](int j) {
      return j < 0 ? 0.0 : 1.0 / size_of(mechanism.motion.column[at(unknown_[j].slot)], length_m_);
    };
    const double largest = std::max(per_size(coupling.dependent), std::abs(coupling.ratio) * per_size(coupling.of));
    const double scale = largest > 0.0 ? 1.0 / largest : 0.0;
    coupling_scale_[i] = scale;
    double* S = closing_.row(r);
    if (coupling.dependent >= 0) S[coupling.dependent] += scale;
    if (coupling.of >= 0) S[coupling.of] -= scale * coupling.ratio;
    row_[r] = SpatialVector{};
    for (int e = 0; e < boundary_count(); ++e) X(e, r) = SpatialVector{};
  }

  void watch(RcrBasis& basis) noexcept {
    basis.free += closing_.independents();
    basis.smallest = std::min(basis.smallest, closing_.smallest_pivot());
    basis.lost_rows = basis.lost_rows || closing_.rank() < rows();
    // A sum that tells sets apart well enough for a counter.
    unsigned sum = 1;
    for (int d = 0; d < closing_.rank(); ++d) sum += 1U << (static_cast<unsigned>(closing_.dependent(d)) % 32U);
    basis.switched = basis.switched || (last_basis_ != 0 && last_basis_ != sum);
    last_basis_ = sum;
  }

  void depend() noexcept {
    for (int e = 0; e < boundary_count(); ++e) {
      for (int d = 0; d < closing_.rank(); ++d) {
        SpatialVector sum;
        for (int r = 0; r < rows(); ++r) sum = sum - closing_.J(d, r) * X(e, r);
        E(e, d) = sum;
      }
    }
  }

  /// Eliminates the independents.
  bool reduce(RcrWorkspace& all) noexcept {
    const int dependents = closing_.rank();
    const int independents = closing_.independents();
    for (int b = 0; b < independents; ++b) {
      const int slot = closing_.independent(b);
      for (int i = 0; i < unknowns(); ++i) {
        double sum = M(i, slot);
        for (int d = 0; d < dependents; ++d) sum += M(i, closing_.dependent(d)) * closing_.T(d, slot);
        u_[i] = sum;
      }
      for (int a = b; a < independents; ++a) {
        const int other = closing_.independent(a);
        double sum = u_[other];
        for (int d = 0; d < dependents; ++d) sum += closing_.T(d, other) * u_[closing_.dependent(d)];
        L(a, b) = sum;
      }
    }
    for (int j = 0; j < independents; ++j) {
      const double whole = L(j, j);
      double pivot = whole;
      for (int k = 0; k < j; ++k) pivot -= L(j, k) * L(j, k);
      if (!(pivot > kSmallestPivot * whole)) return false;
      L(j, j) = 1.0 / std::sqrt(pivot);
      for (int i = j + 1; i < independents; ++i) {
        double sum = L(i, j);
        for (int k = 0; k < j; ++k) sum -= L(i, k) * L(j, k);
        L(i, j) = sum * L(j, j);
      }
    }
    for (int e = 0; e < boundary_count(); ++e) {
      for (int i = 0; i < unknowns(); ++i) {
        SpatialVector sum = B(e, i, all);
        for (int d = 0; d < dependents; ++d) sum = sum + M(i, closing_.dependent(d)) * E(e, d);
        Z(e, i) = sum;
      }
      for (int a = 0; a < independents; ++a) {
        const int slot = closing_.independent(a);
        SpatialVector sum = Z(e, slot);
        for (int d = 0; d < dependents; ++d) sum = sum + closing_.T(d, slot) * Z(e, closing_.dependent(d));
        for (int b = 0; b < a; ++b) sum = sum - L(a, b) * g(e, b);
        g(e, a) = L(a, a) * sum;
      }
    }
    return true;
  }

  /// What the segment leaves to its boundary bodies.
  void hand_over(RcrWorkspace& all) const noexcept {
    if (boundary_count() == 0) return;
    for_tops([&](int i) { add(all.K[at(segment_.parent)], all.composite[at(i)]); });
    for (int e = 0; e < boundary_count(); ++e) square(e, all, all.K[at(segment_.boundary[at(e)])]);
    for (const BoundaryPair& pair : segment_.pairs) all.cross[at(pair.block)] += product(pair.deep, pair.shallow, all);
  }

  /// E^T M E + E^T B + B^T E - g^T g = E^T Z + B^T E - g^T g.
  void square(int e, RcrWorkspace& all, SpatialInertia& K) const noexcept {
    for (int d = 0; d < closing_.rank(); ++d) {
      const int j = closing_.dependent(d);
      add_symmetric(K, E(e, d), 0.5 * (Z(e, j) + B(e, j, all)));
    }
    for (int a = 0; a < closing_.independents(); ++a) subtract_square(K, g(e, a));
  }

  Matrix6 product(int e, int f, RcrWorkspace& all) const noexcept {
    Matrix6 K = Matrix6::Zero();
    for (int d = 0; d < closing_.rank(); ++d) {
      const int j = closing_.dependent(d);
      K += six(E(e, d)) * six(Z(f, j)).transpose() + six(B(e, j, all)) * six(E(f, d)).transpose();
    }
    for (int a = 0; a < closing_.independents(); ++a) K -= six(g(e, a)) * six(g(f, a)).transpose();
    return K;
  }

  // ---- Vectors ----

  bool is_biased() const noexcept { return unbiased_ < bodies(); }

  /// A closing joint inside the tree gives bodies an acceleration of their own.
  void add_bias_forces(const RcrMechanism& mechanism, const ConstraintTarget& wanted, RcrWorkspace& all) noexcept {
    for (int i = unbiased_; i < bodies(); ++i) {
      const Link& link = link_[i];
      bias_[i] = up(i) >= 0 ? bias_[up(i)] : SpatialVector{};
      if (link.loop >= 0) {
        const Vec3 arm = mechanism.motion.bias_arm[at(link.body)] - y_[i];
        bias_[i] = bias_[i] + link.sign * shift_motion(wanted.loop[at(link.loop)], arm);
      }
      const SpatialVector at_body = shift_motion(bias_[i], y_[i]);
      force_[i] = force_[i] - shift_force(all.K[at(link.body)] * at_body, y_[i]);
    }
    for (const SegmentCross& cross : segment_.crosses) {
      const int i = cross.place;
      const Matrix6& K = all.cross[at(cross.block)];
      const SpatialVector on_ancestor = pair_of(K.transpose() * six(shift_motion(bias_[i], y_[i])));
      if (cross.inside >= 0) {
        const int k = cross.inside;
        force_[k] = force_[k] - shift_force(on_ancestor, y_[k]);
        force_[i] = force_[i] - shift_force(pair_of(K * six(shift_motion(bias_[k], y_[k]))), y_[i]);
      } else {
        SpatialVector& F = all.F[at(segment_.boundary[at(cross.boundary)])];
        F = F - on_ancestor;
      }
    }
  }

  void find_eps(const RcrMechanism& mechanism, const ConstraintTarget& wanted) noexcept {
    int r = 0;
    for (const SegmentClosing& closing : segment_.closings) {
      const auto index = at(closing.index);
      SpatialVector gap = bias_[closing.tip];
      if (closing.base >= 0) gap = gap - bias_[closing.base];
      if (closing.loop >= 0) {
        const Vec3 arm = y_[closing.tip] + mechanism.motion.tip_arm[index];
        gap = gap - closing.sign * shift_motion(wanted.loop[at(closing.loop)], -arm);
      }
      const int end = r + static_cast<int>(mechanism.rows.of(index).size());
      for (; r < end; ++r) s_[r] = dot(row_[r], gap);
    }
    for (std::size_t i = 0; i < segment_.couplings.size(); ++i) {
      s_[r++] = -coupling_scale_[i] * wanted.coupling[segment_.couplings[i].index];
    }
    for (int d = 0; d < closing_.rank(); ++d) {
      double sum = 0.0;
      for (int i = 0; i < rows(); ++i) sum -= closing_.J(d, i) * s_[i];
      eps_[d] = sum;
    }
  }

  static constexpr int kSquare = size_product(kUnknownCount, kUnknownCount);
  static constexpr int kOutside = size_product(kBoundaryCount, kUnknownCount);

  const Segment& segment_;
  int body_count_, unknown_count_, row_count_, boundary_count_;
  int unbiased_ = 0;         // so many bodies come before the first one that hangs on a closing joint of the file
  unsigned last_basis_ = 0;  // dependents of the last basis, as one number
  double length_m_ = 0.0;    // of the longest loop
  bool leaves_gaps_;         // not every entry of B is written by the columns
  SmallArray<Link, kBodyCount> link_;
  SmallArray<Unknown, kUnknownCount> unknown_;
  SmallArray<Vec3, kBodyCount> y_;                      // x_b - x_p
  SmallArray<SpatialVector, kBodyCount> bias_, force_;  // at x_p
  SmallArray<SpatialVector, kUnknownCount> c_;          // columns at x_p
  SmallArray<SpatialVector, kRowCount> row_;            // closing conditions at x_p
  SmallArray<double, kSquare> M_, L_;                   // L with the inverse of its diagonal
  SmallArray<double, kUnknownCount> h_, eps_, u_, reduced_;
  SmallArray<double, kRowCount> s_;
  std::vector<double> coupling_scale_;
  SizedCompletePivotSolve<kRowCount, kUnknownCount> closing_;
  // What one boundary means to the unknowns.
  SmallArray<SpatialVector, kOutside> E_;  // per dependent: u = ... + E A
  SmallArray<SpatialVector, kOutside> Z_;  // M E + B
  SmallArray<SpatialVector, kOutside> g_;  // per independent: L^-1 T^T Z
  SmallArray<SpatialVector, size_product(kBoundaryCount, kRowCount)> X_;
};

Shape shape_of(const Segment& segment) {
  bool hinges = true;
  for (std::size_t i = 0; i < segment.bodies.size(); ++i) {
    if (segment.parent_in[i] != static_cast<int>(i) - 1) return Shape::kAny;
    hinges = hinges && segment.first_slot[i + 1] == segment.first_slot[i] + 1;
  }
  return hinges ? Shape::kHinges : Shape::kChain;
}

/// Makes the segment if it has this shape and these sizes.
template <Shape kShape, int kBodies, int kUnknowns, int kRows, int kBoundaries>
bool make_sized(const Segment& segment, const RcrMechanism& mechanism, int rows,
                std::unique_ptr<SegmentElimination>& out) {
  if (shape_of(segment) != kShape || segment.bodies.size() != kBodies || segment.slots.size() != kUnknowns ||
      rows != kRows || segment.boundary.size() != kBoundaries) {
    return false;
  }
  out = std::make_unique<SizedSegment<kShape, kBodies, kUnknowns, kRows, kBoundaries>>(segment, mechanism, rows);
  return true;
}

}  // namespace

std::unique_ptr<SegmentElimination> make_segment_elimination(const Segment& segment, const RcrMechanism& mechanism) {
  std::size_t count = 0;
  for (const SegmentClosing& closing : segment.closings) count += mechanism.rows.of(at(closing.index)).size();
  count += segment.couplings.size();
  const auto rows = static_cast<int>(count);
  std::unique_ptr<SegmentElimination> made;
  const bool usual =
      make_sized<Shape::kHinges, 1, 1, 0, 1>(segment, mechanism, rows, made) ||  // a body on its own
      make_sized<Shape::kHinges, 1, 1, 0, 0>(segment, mechanism, rows, made) ||
      make_sized<Shape::kChain, 1, 6, 0, 0>(segment, mechanism, rows, made) ||   // one that floats
      make_sized<Shape::kHinges, 2, 2, 2, 1>(segment, mechanism, rows, made) ||  // the end of a loop in a plane
      make_sized<Shape::kHinges, 3, 3, 2, 1>(segment, mechanism, rows, made) ||  // a whole loop in a plane
      make_sized<Shape::kHinges, 3, 3, 2, 0>(segment, mechanism, rows, made) ||
      make_sized<Shape::kChain, 2, 4, 4, 1>(segment, mechanism, rows, made);  // a leg of a hexapod
  if (usual) return made;
  return std::make_unique<SizedSegment<Shape::kAny, kAnySize, kAnySize, kAnySize, kAnySize>>(segment, mechanism, rows);
}

}  // namespace kinloop
