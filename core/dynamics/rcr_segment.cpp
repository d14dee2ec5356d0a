// Gauss's principle: the accelerations minimise the sum of 1/2 A^T K A - F^T A over all bodies, minus tau^T u. Leaves
// first, each segment eliminates its unknowns and leaves a quadratic form in the accelerations of its externals.
//
// A means A^ (workspace.hpp), so no d_k appears; a closing joint inside the tree adds its bias.
#include "core/dynamics/rcr_segment.hpp"

#include <algorithm>
#include <cmath>

#include "core/dynamics/joint_rows.hpp"
#include "core/math/tree_factorization.hpp"

namespace kinloop {
namespace {

std::size_t at(int i) noexcept { return static_cast<std::size_t>(i); }

Pair operator*(const Articulated& h, const Pair& A) noexcept {
  return {h.J * A.angular + transposed_times(h.L, A.linear), h.L * A.angular + h.M * A.linear};
}

/// m + a b^T + c d^T.
void add_outer(Mat3& m, const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) noexcept {
  for (int i = 0; i < 3; ++i) m.c[at(i)] += a * b[i] + c * d[i];
}

/// h += a b^T + b a^T.
void add_symmetric(Articulated& h, const Pair& a, const Pair& b) noexcept {
  add_outer(h.J, a.angular, b.angular, b.angular, a.angular);
  add_outer(h.L, a.linear, b.angular, b.linear, a.angular);
  add_outer(h.M, a.linear, b.linear, b.linear, a.linear);
}

/// h -= a a^T.
void subtract_square(Articulated& h, const Pair& a) noexcept {
  subtract_outer(h.J, a.angular, a.angular);
  subtract_outer(h.L, a.linear, a.angular);
  subtract_outer(h.M, a.linear, a.linear);
}

void add_matrix(const Matrix6& m, Articulated& h) noexcept {
  h.J = h.J + Mat3(Matrix3(m.topLeftCorner<3, 3>()));
  h.L = h.L + Mat3(Matrix3(m.bottomLeftCorner<3, 3>()));
  h.M = h.M + Mat3(Matrix3(m.bottomRightCorner<3, 3>()));
}

Vector6 six(const Pair& a) noexcept { return stacked(a.angular, a.linear); }
Pair pair_of(const Vector6& a) noexcept { return {Vec3(a[0], a[1], a[2]), Vec3(a[3], a[4], a[5])}; }

std::vector<double> armatures(const Model& model, const LoopGraph& graph) {
  std::vector<double> all;
  for (const int speed : graph.slot_speed) all.push_back(speed >= 0 ? model.coordinate(speed).armature : 0.0);
  return all;
}

int row_count(const Segment& segment, const ClosingRows& rows) {
  std::size_t count = 0;
  for (const SegmentClosing& closing : segment.closings) count += rows.of(at(closing.index)).size();
  return static_cast<int>(count);
}

}  // namespace

RcrMechanism::RcrMechanism(const Model& model)
    : graph(model),
      samples(loop_samples(model, graph)),
      rows(model, graph, samples),
      plan(model, graph, samples, rows),
      motion(model, graph),
      armature(armatures(model, graph)) {}

RcrBodies::RcrBodies(const Model& model, const RcrMechanism& mechanism)
    : K(at(model.body_count())),
      F(K.size()),
      A(K.size()),
      cross(mechanism.plan.blocks.size(), Matrix6::Zero()),
      u(VectorX::Zero(mechanism.graph.slot_count())) {}

SegmentElimination::SegmentElimination(const Segment& segment, const RcrMechanism& mechanism)
    : segment_(segment),
      n_(static_cast<int>(segment.slots.size())),
      rows_(row_count(segment, mechanism.rows)),
      y_(segment.bodies.size()),
      composite_(segment.bodies.size()),
      c_(segment.slots.size()),
      bias_(segment.bodies.size()),
      force_(segment.bodies.size()),
      row_(at(rows_)),
      M_(at(n_ * n_)),
      L_(at(n_ * n_)),
      h_(at(n_)),
      eps_(at(n_)),
      u_(at(n_)),
      reduced_(at(n_)),
      s_(at(rows_)),
      closing_(rows_, n_) {
  const std::vector<Pair> none(segment.slots.size());
  for (std::size_t e = 0; e < segment.externals.size(); ++e) {
    externals_.push_back({none, none, none, none, std::vector<Pair>(at(rows_))});
  }
  for (int j = segment.first_slot.back(); j < n_; ++j) closing_.set_role(j, UnknownRole::kPhantom);
  for (const int b : segment.bodies) {
    const GraphEdge& edge = mechanism.graph.edges[at(mechanism.graph.bodies[at(b)].edge)];
    biased_ = biased_ || edge.loop >= 0;
  }
}

// ---- Matrices ----

bool SegmentElimination::factorize(const RcrMechanism& mechanism, double tolerance, bool held,
                                   RcrBodies& bodies) noexcept {
  place_columns(mechanism);
  assemble(mechanism, bodies);
  if (rows_ > 0) {
    fill_rows(mechanism);
    if (held) {
      closing_.solve_again(tolerance);
    } else {
      closing_.solve(tolerance);
    }
    depend();
  }
  const bool regular = reduce();
  hand_over(bodies);
  return regular;
}

void SegmentElimination::place_columns(const RcrMechanism& mechanism) noexcept {
  for (std::size_t i = 0; i < segment_.bodies.size(); ++i) {
    const int up = segment_.parent_in[i];
    const Vec3& r = mechanism.motion.r[at(segment_.bodies[i])];
    const Vec3 top = segment_.parent == 0 ? Vec3() : r;
    y_[i] = up >= 0 ? y_[at(up)] + r : top;
    for (int j = segment_.first_slot[i]; j < segment_.first_slot[i + 1]; ++j) {
      c_[at(j)] = moved(mechanism.motion.column[at(segment_.slots[at(j)])], -y_[i]);
    }
  }
}

/// M, and B of every external.
void SegmentElimination::assemble(const RcrMechanism& mechanism, RcrBodies& bodies) noexcept {
  for (std::size_t i = 0; i < segment_.bodies.size(); ++i) {
    composite_[i] = shifted(bodies.K[at(segment_.bodies[i])], y_[i]);
  }
  for (std::size_t i = segment_.bodies.size(); i-- > 1;) {
    if (segment_.parent_in[i] >= 0) add(composite_[at(segment_.parent_in[i])], composite_[i]);
  }
  std::fill(M_.begin(), M_.end(), 0.0);
  for (std::size_t e = 1; e < externals_.size(); ++e) {
    std::fill(externals_[e].B.begin(), externals_[e].B.end(), Pair{});
  }
  for (std::size_t i = 0; i < segment_.bodies.size(); ++i) {
    for (int j = segment_.first_slot[i]; j < segment_.first_slot[i + 1]; ++j) {
      const Pair B = composite_[i] * c_[at(j)];
      if (!externals_.empty()) externals_[0].B[at(j)] = B;
      for (const int l : segment_.path[i]) M(j, l) = M(l, j) = dot(c_[at(l)], B);
    }
  }
  for (int j = 0; j < n_; ++j) M(j, j) += mechanism.armature[at(segment_.slots[at(j)])];
  for (const SegmentCross& cross : segment_.crosses) add_cross(cross, bodies);
}

/// An inertia between a body and an ancestor, left by a loop further out (GCL).
void SegmentElimination::add_cross(const SegmentCross& cross, RcrBodies& bodies) noexcept {
  Matrix6 K = motion_shift(y_[at(cross.place)].eigen()).transpose() * bodies.cross[at(cross.block)];
  const bool inside = cross.inside >= 0;
  if (inside) K = K * motion_shift(y_[at(cross.inside)].eigen());
  for (const int j : segment_.path[at(cross.place)]) {
    const Pair B = pair_of(K.transpose() * six(c_[at(j)]));
    if (!externals_.empty()) {
      Pair& sum = externals_[inside ? 0 : at(cross.external)].B[at(j)];
      sum = sum + B;
    }
    if (!inside) continue;
    for (const int l : segment_.path[at(cross.inside)]) {
      const double value = dot(B, c_[at(l)]);
      M(j, l) += value;
      M(l, j) += value;
    }
  }
  if (externals_.empty()) return;
  if (inside) {
    for (const int l : segment_.path[at(cross.inside)]) {
      externals_[0].B[at(l)] = externals_[0].B[at(l)] + pair_of(K * six(c_[at(l)]));
    }
  }
  if (inside || cross.external == 0) {
    add_matrix(K + K.transpose(), composite_[0]);
  } else {
    bodies.cross[at(cross.handed_on)] += K;
  }
}

/// The closing conditions S u + sum X A + s = 0.
void SegmentElimination::fill_rows(const RcrMechanism& mechanism) noexcept {
  int r = 0;
  for (const SegmentClosing& closing : segment_.closings) {
    const auto index = at(closing.index);
    const Vec3 arm = y_[at(closing.tip)] + mechanism.motion.tip_arm[index];
    for (const Pair& row : mechanism.rows.of(index)) {
      double* S = closing_.S_row(r);
      std::fill(S, S + n_, 0.0);
      const Pair here = wrench_moved(row, arm);
      row_[at(r)] = here;
      for (const int j : segment_.path[at(closing.tip)]) S[j] = dot(here, c_[at(j)]);
      if (closing.base >= 0) {
        for (const int j : segment_.path[at(closing.base)]) S[j] -= dot(here, c_[at(j)]);
      }
      for (int j = closing.first_slot; j < closing.first_slot + closing.slots; ++j) {
        S[j] = -dot(row, mechanism.motion.column[at(segment_.slots[at(j)])]);
      }
      for (External& external : externals_) external.X[at(r)] = Pair{};
      if (!closing.relative && !externals_.empty()) {
        externals_[0].X[at(r)] = here;
        if (closing.base_external >= 0) {
          externals_[at(closing.base_external)].X[at(r)] = -wrench_moved(row, mechanism.motion.base_arm[index]);
        }
      }
      ++r;
    }
  }
}

void SegmentElimination::depend() noexcept {
  for (External& e : externals_) {
    for (int d = 0; d < closing_.rank(); ++d) {
      Pair sum;
      for (int r = 0; r < rows_; ++r) sum = sum - closing_.J(d, r) * e.X[at(r)];
      e.E[at(d)] = sum;
    }
  }
}

/// Eliminates the independents.
bool SegmentElimination::reduce() noexcept {
  const std::vector<int>& independent = closing_.independent();
  const int dependents = closing_.rank();
  independents_ = static_cast<int>(independent.size());
  for (int b = 0; b < independents_; ++b) {
    const int slot = independent[at(b)];
    for (int i = 0; i < n_; ++i) {
      double sum = M(i, slot);
      for (int d = 0; d < dependents; ++d) sum += M(i, closing_.dependent(d)) * closing_.T(d, slot);
      u_[at(i)] = sum;
    }
    for (int a = b; a < independents_; ++a) {
      double sum = u_[at(independent[at(a)])];
      for (int d = 0; d < dependents; ++d) {
        sum += closing_.T(d, independent[at(a)]) * u_[at(closing_.dependent(d))];
      }
      L(a, b) = sum;
    }
  }
  for (int j = 0; j < independents_; ++j) {
    const double whole = L(j, j);
    double pivot = whole;
    for (int k = 0; k < j; ++k) pivot -= L(j, k) * L(j, k);
    if (!(pivot > kSmallestPivot * whole)) return false;
    L(j, j) = 1.0 / std::sqrt(pivot);
    for (int i = j + 1; i < independents_; ++i) {
      double sum = L(i, j);
      for (int k = 0; k < j; ++k) sum -= L(i, k) * L(j, k);
      L(i, j) = sum * L(j, j);
    }
  }
  for (External& e : externals_) {
    for (int i = 0; i < n_; ++i) {
      Pair sum = e.B[at(i)];
      for (int d = 0; d < dependents; ++d) sum = sum + M(i, closing_.dependent(d)) * e.E[at(d)];
      e.Z[at(i)] = sum;
    }
    for (int a = 0; a < independents_; ++a) {
      Pair sum = e.Z[at(independent[at(a)])];
      for (int d = 0; d < dependents; ++d) {
        sum = sum + closing_.T(d, independent[at(a)]) * e.Z[at(closing_.dependent(d))];
      }
      for (int b = 0; b < a; ++b) sum = sum - L(a, b) * e.g[at(b)];
      e.g[at(a)] = L(a, a) * sum;
    }
  }
  return true;
}

/// What the segment leaves to its externals.
void SegmentElimination::hand_over(RcrBodies& bodies) const noexcept {
  if (externals_.empty()) return;
  add(bodies.K[at(segment_.parent)], composite_[0]);
  for (std::size_t e = 0; e < externals_.size(); ++e) square(externals_[e], bodies.K[at(segment_.externals[e])]);
  for (const ExternalPair& pair : segment_.pairs) {
    bodies.cross[at(pair.block)] += product(externals_[at(pair.deep)], externals_[at(pair.shallow)]);
  }
}

/// E^T M E + E^T B + B^T E - g^T g = E^T Z + B^T E - g^T g.
void SegmentElimination::square(const External& e, Articulated& K) const noexcept {
  for (int d = 0; d < closing_.rank(); ++d) {
    const auto j = at(closing_.dependent(d));
    add_symmetric(K, e.E[at(d)], 0.5 * (e.Z[j] + e.B[j]));
  }
  for (int a = 0; a < independents_; ++a) subtract_square(K, e.g[at(a)]);
}

Matrix6 SegmentElimination::product(const External& e, const External& f) const noexcept {
  Matrix6 K = Matrix6::Zero();
  for (int d = 0; d < closing_.rank(); ++d) {
    const auto j = at(closing_.dependent(d));
    K += six(e.E[at(d)]) * six(f.Z[j]).transpose() + six(e.B[j]) * six(f.E[at(d)]).transpose();
  }
  for (int a = 0; a < independents_; ++a) K -= six(e.g[at(a)]) * six(f.g[at(a)]).transpose();
  return K;
}

// ---- Vectors ----

void SegmentElimination::inward(const RcrMechanism& mechanism, const ClosureMotion& wanted, const VectorX& tau,
                                RcrBodies& bodies) noexcept {
  for (std::size_t i = 0; i < segment_.bodies.size(); ++i) {
    force_[i] = wrench_moved(bodies.F[at(segment_.bodies[i])], y_[i]);
  }
  if (biased_) add_bias_forces(mechanism, wanted, bodies);
  for (std::size_t i = segment_.bodies.size(); i-- > 1;) {
    if (segment_.parent_in[i] >= 0) force_[at(segment_.parent_in[i])] = force_[at(segment_.parent_in[i])] + force_[i];
  }
  for (int j = 0; j < n_; ++j) {
    const int speed = mechanism.graph.slot_speed[at(segment_.slots[at(j)])];
    const int body = segment_.slot_body[at(j)];
    double h = speed >= 0 ? tau[speed] : 0.0;
    if (body >= 0) h += dot(c_[at(j)], force_[at(body)]);
    h_[at(j)] = h;
  }
  const int dependents = closing_.rank();
  if (rows_ > 0) find_eps(mechanism, wanted);
  const auto left = [&](int j) {
    double sum = h_[at(j)];
    for (int d = 0; d < dependents; ++d) sum -= M(j, closing_.dependent(d)) * eps_[at(d)];
    return sum;
  };
  for (int a = 0; a < independents_; ++a) {
    const int slot = closing_.independent()[at(a)];
    double sum = left(slot);
    for (int d = 0; d < dependents; ++d) sum += closing_.T(d, slot) * left(closing_.dependent(d));
    for (int b = 0; b < a; ++b) sum -= L(a, b) * reduced_[at(b)];
    reduced_[at(a)] = sum * L(a, a);
  }
  for (std::size_t e = 0; e < externals_.size(); ++e) {
    const External& external = externals_[e];
    Pair force = e == 0 ? force_[0] : Pair{};
    for (int d = 0; d < dependents; ++d) {
      const auto j = at(closing_.dependent(d));
      force = force + h_[j] * external.E[at(d)] - eps_[at(d)] * external.Z[j];
    }
    for (int a = 0; a < independents_; ++a) force = force - reduced_[at(a)] * external.g[at(a)];
    Pair& F = bodies.F[at(segment_.externals[e])];
    F = F + force;
  }
}

/// A closing joint inside the tree gives bodies an acceleration of their own.
void SegmentElimination::add_bias_forces(const RcrMechanism& mechanism, const ClosureMotion& wanted,
                                         RcrBodies& bodies) noexcept {
  for (std::size_t i = 0; i < segment_.bodies.size(); ++i) {
    const int up = segment_.parent_in[i];
    const Pair own = mechanism.motion.bias_of_body(mechanism.graph, segment_.bodies[i], wanted);
    bias_[i] = (up >= 0 ? bias_[at(up)] : Pair{}) + moved(own, -y_[i]);
    const Pair at_body = moved(bias_[i], y_[i]);
    force_[i] = force_[i] - wrench_moved(bodies.K[at(segment_.bodies[i])] * at_body, y_[i]);
  }
  for (const SegmentCross& cross : segment_.crosses) {
    const auto i = at(cross.place);
    const Matrix6& K = bodies.cross[at(cross.block)];
    const Pair on_ancestor = pair_of(K.transpose() * six(moved(bias_[i], y_[i])));
    if (cross.inside >= 0) {
      const auto k = at(cross.inside);
      force_[k] = force_[k] - wrench_moved(on_ancestor, y_[k]);
      force_[i] = force_[i] - wrench_moved(pair_of(K * six(moved(bias_[k], y_[k]))), y_[i]);
    } else {
      Pair& F = bodies.F[at(segment_.externals[at(cross.external)])];
      F = F - on_ancestor;
    }
  }
}

void SegmentElimination::find_eps(const RcrMechanism& mechanism, const ClosureMotion& wanted) noexcept {
  int r = 0;
  for (const SegmentClosing& closing : segment_.closings) {
    const auto index = at(closing.index);
    const Pair needed = mechanism.motion.bias_of_closing(mechanism.graph, index, wanted);
    for (const Pair& row : mechanism.rows.of(index)) {
      s_[at(r)] = -dot(row, needed);
      if (biased_) {
        Pair gap = bias_[at(closing.tip)];
        if (closing.base >= 0) gap = gap - bias_[at(closing.base)];
        s_[at(r)] += dot(row_[at(r)], gap);
      }
      ++r;
    }
  }
  for (int d = 0; d < closing_.rank(); ++d) {
    double sum = 0.0;
    for (int i = 0; i < rows_; ++i) sum -= closing_.J(d, i) * s_[at(i)];
    eps_[at(d)] = sum;
  }
}

void SegmentElimination::outward(const RcrMechanism& mechanism, const ClosureMotion& wanted,
                                 RcrBodies& bodies) noexcept {
  for (std::size_t e = 0; e < externals_.size(); ++e) {
    const Pair& A = bodies.A[at(segment_.externals[e])];
    for (int a = 0; a < independents_; ++a) reduced_[at(a)] -= dot(externals_[e].g[at(a)], A);
  }
  if (independents_ + closing_.rank() < n_) std::fill(u_.begin(), u_.end(), 0.0);  // coordinates that nothing determines
  for (int a = independents_ - 1; a >= 0; --a) {
    double sum = reduced_[at(a)];
    for (int b = a + 1; b < independents_; ++b) sum -= L(b, a) * reduced_[at(b)];
    reduced_[at(a)] = sum * L(a, a);
    u_[at(closing_.independent()[at(a)])] = reduced_[at(a)];
  }
  for (int d = 0; d < closing_.rank(); ++d) {
    double sum = eps_[at(d)];
    for (int a = 0; a < independents_; ++a) sum += closing_.T(d, closing_.independent()[at(a)]) * reduced_[at(a)];
    for (std::size_t e = 0; e < externals_.size(); ++e) {
      sum += dot(externals_[e].E[at(d)], bodies.A[at(segment_.externals[e])]);
    }
    u_[at(closing_.dependent(d))] = sum;
  }
  for (int j = 0; j < n_; ++j) bodies.u[segment_.slots[at(j)]] = u_[at(j)];
  for (std::size_t i = 0; i < segment_.bodies.size(); ++i) {
    const int b = segment_.bodies[i];
    Pair A = moved(bodies.A[at(mechanism.graph.bodies[at(b)].parent)], mechanism.motion.r[at(b)]);
    if (biased_) A = A + mechanism.motion.bias_of_body(mechanism.graph, b, wanted);
    for (int j = segment_.first_slot[i]; j < segment_.first_slot[i + 1]; ++j) {
      A = A + u_[at(j)] * mechanism.motion.column[at(segment_.slots[at(j)])];
    }
    bodies.A[at(b)] = A;
  }
}

}  // namespace kinloop
