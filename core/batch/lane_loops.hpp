// Owns LaneLoops: accelerations and projection of a mechanism with closed loops, for W states at once.
//
// In joint space, with the rows that the LoopPlan chose:
//
//   M u' + ... = b + G^T lambda,  G u' = c      M = L^T D L along the tree (Featherstone), Y = D^-1/2 L^-T G^T
//   (G M^-1 G^T) lambda = c - G M^-1 b          factorised once an evaluation; the projection uses it again
//
// The solution is that of every other formulation: unique where the rows are independent. Rows that were left out, and
// the equations of motion body by body, are looked at afterwards. Whatever does not stand that, or comes near a
// singular position, is for the single path.
#pragma once

#include <algorithm>

#include "core/base/indexed_vector.hpp"
#include "core/batch/lane_mechanism.hpp"
#include "core/batch/loop_plan.hpp"
#include "core/joints/rotation_logarithm.hpp"

namespace kinloop::batch {

template <int W>
class LaneLoops {
  using L = Lane<W>;
  using V = Vec<W>;

 public:
  LaneLoops(const Model& model, LoopPlan plan)
      : model_(model),
        plan_(std::move(plan)),
        nodes_(plan_.tree.size()),
        constraint_(plan_.loops.size()),
        coupling_error_(plan_.couplings.size()),
        composite_(model.body_count()),
        M_(nodes_ * nodes_),
        diagonal_(nodes_),
        inverse_d_(diagonal_.size()),
        Y_(plan_.rows * nodes_),
        Yd_(Y_.size()),
        A_(plan_.rows * plan_.rows),
        inverse_A_(plan_.rows),
        whole_(inverse_A_.size()),
        column_(inverse_A_.size()),
        lambda_(plan_.rows),
        y_(nodes_),
        sum_(composite_.size()),
        acceleration_(composite_.size()) {
    for (std::size_t i = 0; i < constraint_.size(); ++i) {
      constraint_[i].G.resize(plan_.loops[i].rows.size());
      for (Spatial<W>& old : constraint_[i].G) old = {};
    }
    const double gravity = model.gravity().norm();
    floor_ = kStill * (gravity > 0.0 ? gravity / model.length_m() : 9.81);
    magnitude_.resize(composite_.size());
  }

  /// Places, errors, rates and biases; needs the kinematics.
  void update(const LaneMechanism<W>& m) noexcept {
    for (std::size_t i = 0; i < constraint_.size(); ++i) {
      Constraint& c = constraint_[i];
      place(m, i);
      for (std::size_t r = 0; r < c.G.size(); ++r) c.G[r] = row_in_world(plan_.loops[i].rows[r], c);
      rate(m, i);
      const auto [P, S] = ends(m, i);
      const V P_arm = cross(P.w, c.arm_pred);
      c.bias.angular = P.al + cross(P.w, c.rate.angular) - S.al;
      c.bias.linear = cross_plus(P.w, fused(L(2.0), c.rate.linear, P_arm), cross_plus(P.al, c.arm_pred, P.a)) -
                      cross_plus(S.w, cross(S.w, c.arm_succ), cross_plus(S.al, c.arm_succ, S.a));
    }
  }

  /// The largest blocked part of the errors at the positions that the mechanism has; the rows in use stay.
  L position_error(const LaneMechanism<W>& m, const IndexedVector<L>& q) noexcept {
    for (std::size_t i = 0; i < constraint_.size(); ++i) place(m, i);
    coupling_errors(q);
    return largest(&Constraint::error);
  }
  L velocity_error(const LaneMechanism<W>& m, const IndexedVector<L>& v) noexcept {
    for (std::size_t i = 0; i < constraint_.size(); ++i) rate(m, i);
    for (std::size_t i = 0; i < coupling_error_.size(); ++i) {
      const Coupling& c = model_.couplings()[i];
      coupling_error_[i] = v[c.v_dependent] - L(c.ratio) * v[c.v_of];
    }
    return largest(&Constraint::rate);
  }

  /// vdot. Returns the states that are for the single path.
  Mask<W> solve(LaneMechanism<W>& m, bool is_first) noexcept {
    Mask<W> bad = factorize(m, is_first);
    find_forces(m);
    for (int i = nodes_ - 1; i >= 0; --i) {  // L^-T b
      const L y = y_[i];
      for (const int j : plan_.inboard[i]) y_[j] = fused_from(M(i, j), y, y_[j]);
    }
    required_acceleration(m);
    solve_rows(true);
    spread(m.vdot());
    for (int i = 0; i < model_.nv(); ++i) {
      if (m.driven(i)) m.vdot()[i] = m.prescribed()[i];
    }
    bad |= misses_constraints(m);
    return bad;
  }

  /// The smallest change of the speeds, weighed with inertia, that ends the errors last found.
  void correct_positions(IndexedVector<L>& step) noexcept { correct(&Constraint::error, step); }
  void correct_velocities(IndexedVector<L>& step) noexcept { correct(&Constraint::rate, step); }

  /// The equations of motion, body by body, with what constraints carry: what they miss against the terms they consist
  /// of.
  Mask<W> misses_motion(const LaneMechanism<W>& m) noexcept {
    constexpr double kMissedShare = 1e-10;
    for (int k = 1; k < model_.body_count(); ++k) {
      const LoadLanes<W>& b = m.load(k);
      const Spatial<W>& A = acceleration_[k];
      const double mass = model_.body(k).mass;
      const V n = times_plus(b.J, A.angular, cross(b.mc, A.linear));
      const V f = cross_plus(A.angular, b.mc, L(mass) * A.linear);
      sum_[k] = {b.n - n, b.f - f};
      magnitude_[k] = {size(b.n) + size(n), size(b.f) + size(f)};
    }
    for (std::size_t i = 0; i < constraint_.size(); ++i) {
      const PlannedLoop& loop = plan_.loops[i];
      const Constraint& c = constraint_[i];
      Spatial<W> wrench;
      for (std::size_t r = 0; r < loop.rows.size(); ++r) {
        if (loop.rows[r].row < 0) continue;
        const L& l = lambda_[loop.rows[r].row];
        wrench.angular = fused(l, c.G[r].angular, wrench.angular);
        wrench.linear = fused(l, c.G[r].linear, wrench.linear);
      }
      add_wrench(model_.loops()[i].successor, wrench, c.arm_succ);
      add_wrench(model_.loops()[i].predecessor, {-wrench.angular, -wrench.linear}, c.arm_pred);
    }
    Mask<W> bad;
    for (int k = model_.body_count() - 1; k > 0; --k) {
      const BodyConstants& body = model_.body(k);
      const Spatial<W>& carried = sum_[k];
      const Magnitude& terms = magnitude_[k];
      for (int i = body.v; i < body.v + body.nv; ++i) {
        if (m.driven(i)) continue;
        const Spatial<W>& H = m.H(i);
        const L along = L(model_.coordinate(i).armature) * m.vdot_of(i);
        L missed = m.tau()[i] - along + dot(H, carried);
        L allowed =
            magnitude(m.tau()[i]) + magnitude(along) + size(H.angular) * terms.moment + size(H.linear) * terms.force;
        for (const PlannedCoupling& c : plan_.couplings) {
          if (c.row < 0) continue;
          const Coupling& coupling = model_.couplings()[c.index];
          const L& l = lambda_[c.row];
          const double share = coupling.v_dependent == i ? 1.0 : (coupling.v_of == i ? -coupling.ratio : 0.0);
          missed += L(share) * l;
          allowed += magnitude(L(share) * l);
        }
        bad |= ~(magnitude(missed) <= L(kMissedShare) * allowed);
      }
      const int parent = body.parent;
      const V& r = m.body(k).r;
      sum_[parent].angular = cross_plus(r, carried.linear, sum_[parent].angular) + carried.angular;
      sum_[parent].linear += carried.linear;
      magnitude_[parent].moment += terms.moment + size(r) * terms.force;
      magnitude_[parent].force += terms.force;
    }
    return bad;
  }

 private:
  /// Shares of accelerations are taken of no less than this part of the largest, or of what gravity does, as in
  /// core/dynamics/loops/answer_check.cpp.
  static constexpr double kStill = 1e-3;

  struct Constraint {
    V arm_pred, arm_succ;
    Mat<W> R_WA;
    Spatial<W> error, rate, bias;
    IndexedVector<Spatial<W>> G;  // in the world, of the last update()
  };
  /// CompositeInertia of W states: six numbers of J instead of nine, and sums that are fused.
  struct Composite {
    Sym<W> J;
    V mc;
    double mass = 0.0;
  };
  struct Magnitude {
    L moment, force;
  };
  struct Ends {
    const MotionLanes<W>&P, &S;
  };

  L& M(int i, int j) noexcept { return M_[i * nodes_ + j]; }
  L* Y(int r) noexcept { return Y_.data() + r * nodes_; }
  L* Yd(int r) noexcept { return Yd_.data() + r * nodes_; }
  L& A(int r, int s) noexcept { return A_[r * plan_.rows + s]; }

  Ends ends(const LaneMechanism<W>& m, std::size_t i) const noexcept {
    return {m.body(model_.loops()[i].predecessor), m.body(model_.loops()[i].successor)};
  }
  /// A length that costs no root: not less than the length, not more than 1.8 of it.
  static L size(const V& a) noexcept { return magnitude(a.x) + magnitude(a.y) + magnitude(a.z); }

  Spatial<W> row_in_world(const PlannedRow& row, const Constraint& c) const noexcept {
    Spatial<W> G;
    (row.turns ? G.angular : G.linear) = times(c.R_WA, row.turns ? row.angular : row.linear);
    return G;
  }

  void place(const LaneMechanism<W>& m, std::size_t i) noexcept {
    const LoopJoint& loop = model_.loops()[i];
    const auto [P, S] = ends(m, i);
    Constraint& c = constraint_[i];
    c.R_WA = times(P.R, loop.R_PA);
    c.arm_succ = times(S.R, loop.p_SB);
    V between;  // along the tree: as accurate far from the origin as near it
    for (const PlannedStep& step : plan_.loops[i].from_succ) between += m.body(step.body).r;
    for (const PlannedStep& step : plan_.loops[i].from_pred) between -= m.body(step.body).r;
    c.arm_pred = between + c.arm_succ;
    c.error.linear = c.arm_pred - times(P.R, loop.p_PA);
    if (loop.rotation == JointRotation::kAboutZ) {
      c.error.angular = between_axes(c.R_WA.c[2], times(S.R, loop.R_SB.c[2]));
    } else if (loop.rotation == JointRotation::kNone) {
      c.error.angular = V();
      for (int lane = 0; lane < W; ++lane) {
        const Mat3 R_WA = c.R_WA.of(lane);
        c.error.angular.set(lane, R_WA * rotation_vector(transposed(R_WA) * (S.R.of(lane) * loop.R_SB)));
      }
    }
  }

  /// The rotation that takes a to b where loops are nearly closed, as core/kinematics/loop_constraints.cpp finds it;
  /// elsewhere no number, so that the state goes the single path.
  static V between_axes(const V& a, const V& b) noexcept {
    V axis = cross(a, b);
    constexpr double kSmall2 = 1e-8;
    const Mask<W> is_near = (dot(a, b) > L(0.0)) & (dot(axis, axis) < L(kSmall2));
    if (is_near.all()) return axis;
    for (int lane = 0; lane < W; ++lane) {
      if (is_near[lane]) continue;
      const double cosine = dot(a.of(lane), b.of(lane));
      const double sine = std::sqrt(dot(axis.of(lane), axis.of(lane)));
      axis.set(lane, (std::atan2(sine, cosine) / sine) * axis.of(lane));
    }
    return axis;
  }

  void rate(const LaneMechanism<W>& m, std::size_t i) noexcept {
    const auto [P, S] = ends(m, i);
    Constraint& c = constraint_[i];
    c.rate.angular = S.w - P.w;
    c.rate.linear = cross_plus(S.w, c.arm_succ, S.v) - cross_plus(P.w, c.arm_pred, P.v);
  }

  void coupling_errors(const IndexedVector<L>& q) noexcept {
    for (std::size_t i = 0; i < coupling_error_.size(); ++i) {
      const Coupling& c = model_.couplings()[i];
      coupling_error_[i] = q[c.q_dependent] - L(c.ratio) * q[c.q_of] - L(c.offset);
    }
  }

  /// Of all rows in the axes that they have now.
  L largest(Spatial<W> Constraint::*what) const noexcept {
    L found;
    for (std::size_t i = 0; i < constraint_.size(); ++i) {
      const Constraint& c = constraint_[i];
      for (const PlannedRow& row : plan_.loops[i].rows) {
        const Spatial<W> G = row_in_world(row, c);
        found = larger_or_none(
            found, magnitude(row.turns ? dot(G.angular, (c.*what).angular) : dot(G.linear, (c.*what).linear)));
      }
    }
    for (const L& error : coupling_error_) found = larger_or_none(found, magnitude(error));
    return found;
  }
  /// What is no number stays.
  static L larger_or_none(const L& a, const L& b) noexcept { return select(b <= a, a, b + L(0.0) * a); }

  /// M, its factors, the rows and theirs.
  Mask<W> factorize(LaneMechanism<W>& m, bool is_first) noexcept {
    build_inertia(m);
    Mask<W> bad;
    for (int k = nodes_ - 1; k >= 0; --k) {
      L& d = inverse_d_[k];
      bad |= ~(M(k, k) > L(kSingular) * diagonal_[k]);
      d = L(1.0) / M(k, k);
      for (const int i : plan_.inboard[k]) {
        const L a = M(k, i) * d;
        M(i, i) = fused_from(a, M(k, i), M(i, i));
        for (const int j : plan_.inboard[i]) M(i, j) = fused_from(a, M(k, j), M(i, j));
        M(k, i) = a;
      }
    }
    bad |= build_rows(m, is_first);
    return bad | factorize_rows();
  }

  void build_inertia(LaneMechanism<W>& m) noexcept {
    for (int k = 1; k < model_.body_count(); ++k) {
      const LoadLanes<W>& b = m.load(k);
      composite_[k] = {b.J, b.mc, model_.body(k).mass};
    }
    int node = nodes_ - 1;
    for (int k = model_.body_count() - 1; k > 0; --k) {
      const Composite& c = composite_[k];
      for (; node >= 0 && plan_.tree.body[node] == k; --node) {
        const Spatial<W>& H = m.H(plan_.tree.speed[node]);
        Spatial<W> F{times_plus(c.J, H.angular, cross(c.mc, H.linear)),
                     cross_plus(H.angular, c.mc, L(c.mass) * H.linear)};
        M(node, node) = dot(H, F) + L(model_.coordinate(plan_.tree.speed[node]).armature);
        diagonal_[node] = M(node, node);
        int body = k;
        for (int j = plan_.tree.parent[node]; j >= 0; j = plan_.tree.parent[j]) {
          for (; body != plan_.tree.body[j]; body = model_.body(body).parent) {
            F.angular = cross_plus(m.body(body).r, F.linear, F.angular);
          }
          M(node, j) = dot(m.H(plan_.tree.speed[j]), F);
        }
      }
      const int parent = model_.body(k).parent;
      if (parent == 0) continue;
      const V& r = m.body(k).r;
      Composite& sum = composite_[parent];
      const V u = fused(L(0.5 * c.mass), r, c.mc);
      const L twice = L(2.0) * dot(r, u);
      sum.J += c.J;
      sum.J.xx += twice - L(2.0) * r.x * u.x;
      sum.J.yy += twice - L(2.0) * r.y * u.y;
      sum.J.zz += twice - L(2.0) * r.z * u.z;
      sum.J.xy -= fused(r.x, u.y, r.y * u.x);
      sum.J.xz -= fused(r.x, u.z, r.z * u.x);
      sum.J.yz -= fused(r.y, u.z, r.z * u.y);
      sum.mc += fused(L(c.mass), r, c.mc);
      sum.mass += c.mass;
    }
  }

  void fill_way(LaneMechanism<W>& m, const PlannedLoop& loop, const IndexedVector<PlannedStep>& steps, V arm,
                double sign) noexcept {
    const Constraint& c = constraint_[loop.index];
    for (const PlannedStep& step : steps) {
      for (int node = step.first_node; node < step.first_node + step.nodes; ++node) {
        const Spatial<W>& H = m.H(plan_.tree.speed[node]);
        const V moved = cross_plus(H.angular, arm, H.linear);
        for (std::size_t r = 0; r < loop.rows.size(); ++r) {
          const PlannedRow& row = loop.rows[r];
          if (row.row < 0) continue;
          const L entry = row.turns ? dot(c.G[r].angular, H.angular) : dot(c.G[r].linear, moved);
          Y(row.row)[node] = L(sign) * entry;
        }
      }
      arm += m.body(step.body).r;
    }
  }

  /// Returns the states near a singular position, as far as single loops tell.
  Mask<W> build_rows(LaneMechanism<W>& m, bool is_first) noexcept {
    Mask<W> near;
    for (std::size_t i = 0; i < plan_.loops.size(); ++i) {
      const PlannedLoop& loop = plan_.loops[i];
      for (const int r : plan_.rows_of[i]) {
        for (const int node : loop.support) Y(r)[node] = L();
      }
      fill_way(m, loop, loop.from_succ, constraint_[i].arm_succ, 1.0);
      fill_way(m, loop, loop.from_pred, constraint_[i].arm_pred, -1.0);
      if (is_first) near |= is_near_singular(m, loop);
      eliminate_rows(plan_.rows_of[i], loop.support);
    }
    for (const PlannedCoupling& c : plan_.couplings) {
      if (c.row < 0) continue;
      for (const int node : c.support) Y(c.row)[node] = L();
      if (c.dependent >= 0) Y(c.row)[c.dependent] = L(1.0);
      if (c.of >= 0) Y(c.row)[c.of] = L(-model_.couplings()[c.index].ratio);
      eliminate_rows(plan_.rows_of[plan_.loops.count() + c.index], c.support);
    }
    return near;
  }

  /// Whether a row of a loop stands out of the others by less than three times what the single path calls near a
  /// singular position, where it closes loops to rounding. Rows and speeds are of size 1.
  Mask<W> is_near_singular(const LaneMechanism<W>& m, const PlannedLoop& loop) noexcept {
    constexpr double kNear = 0.0225;  // the square of a share
    const IndexedVector<int>& rows = plan_.rows_of[loop.index];
    const int count = rows.count();
    std::array<std::array<L, 6>, 6> gram{};
    const double inverse_L2 = 1.0 / (model_.length_m() * model_.length_m());
    for (const auto* steps : {&loop.from_succ, &loop.from_pred}) {
      for (const PlannedStep& step : *steps) {
        for (int node = step.first_node; node < step.first_node + step.nodes; ++node) {
          const Spatial<W>& H = m.H(plan_.tree.speed[node]);
          const L size2 = fused(L(inverse_L2), dot(H.linear, H.linear), dot(H.angular, H.angular));
          const L inverse = L(1.0) / select(size2 > L(0.0), size2, L(1.0));
          for (int r = 0; r < count; ++r) {
            const L scaled = inverse * Y(rows[r])[node];
            for (int s = 0; s <= r; ++s) gram[r][s] = fused(scaled, Y(rows[s])[node], gram[r][s]);
          }
        }
      }
    }
    Mask<W> near;
    for (int r = 0; r < count; ++r) {
      for (int s = 0; s < r; ++s) {
        for (int t = 0; t < s; ++t) {
          gram[r][s] = fused_from(gram[r][t], gram[s][t], gram[r][s]);
        }
        const L l = gram[r][s] / gram[s][s];
        gram[r][r] = fused_from(l, gram[r][s], gram[r][r]);
      }
      for (int s = 0; s < r; ++s) gram[r][s] = gram[r][s] / gram[s][s];
      near |= ~(gram[r][r] > L(kNear));
    }
    return near;
  }

  /// L^-T of the rows of a group, and the same times D^-1.
  void eliminate_rows(const IndexedVector<int>& rows, const IndexedVector<int>& support) noexcept {
    for (const int i : support) {
      for (const int j : plan_.inboard[i]) {
        const L l = M(i, j);
        for (const int r : rows) Y(r)[j] = fused_from(l, Y(r)[i], Y(r)[j]);
      }
      for (const int r : rows) Yd(r)[i] = inverse_d_[i] * Y(r)[i];
    }
  }

  /// Entries of row r of G M^-1 G^T in N neighbouring columns: sums that do not wait for each other.
  template <int N>
  void fill_entries(int r, int s, const IndexedVector<int>& nodes) noexcept {
    std::array<L, N> sum;
    const L* y = Y(r);
    for (const int i : nodes) {
      for (int n = 0; n < N; ++n) sum[n] = fused(y[i], Yd(s + n)[i], sum[n]);
    }
    for (int n = 0; n < N; ++n) A(r, s + n) = sum[n];
  }

  /// G M^-1 G^T = L D L^T; a pivot that has lost nearly all of its size stands for a singular position close by.
  Mask<W> factorize_rows() noexcept {
    constexpr double kNear = 1e-3;  // the square of a sine, weighed with inertia
    Mask<W> bad;
    for (int r = 0; r < plan_.rows; ++r) {
      const int a = plan_.group[r];
      for (int s = 0; s <= r;) {
        const int b = plan_.group[s];
        const IndexedVector<int>& nodes = plan_.common[a * (a + 1) / 2 + b];
        const int left = std::min(r + 1, plan_.rows_of[b].back() + 1) - s;
        if (left >= 3) {
          fill_entries<3>(r, s, nodes);
          s += 3;
        } else if (left == 2) {
          fill_entries<2>(r, s, nodes);
          s += 2;
        } else {
          fill_entries<1>(r, s, nodes);
          s += 1;
        }
      }
      whole_[r] = A(r, r);
    }
    for (int s = 0; s < plan_.rows; ++s) {
      const L pivot = A(s, s);
      bad |= ~(pivot > L(kNear) * whole_[s]);
      const L inverse = L(1.0) / pivot;
      inverse_A_[s] = inverse;
      for (int r = s + 1; r < plan_.rows; ++r) {
        column_[r] = A(r, s) * inverse;
        const L c = A(r, s);
        for (int t = s + 1; t <= r; ++t) A(r, t) = fused_from(c, column_[t], A(r, t));
        A(r, s) = column_[r];
      }
    }
    return bad;
  }

  /// b at vdot = 0.
  void find_forces(const LaneMechanism<W>& m) noexcept {
    for (int k = 1; k < model_.body_count(); ++k) sum_[k] = {m.load(k).n, m.load(k).f};
    int node = nodes_ - 1;
    for (int k = model_.body_count() - 1; k > 0; --k) {
      const Spatial<W>& own = sum_[k];
      for (; node >= 0 && plan_.tree.body[node] == k; --node) {
        const int speed = plan_.tree.speed[node];
        y_[node] = m.tau()[speed] + dot(m.H(speed), own);
      }
      const int parent = model_.body(k).parent;
      if (parent == 0) continue;
      sum_[parent].angular = cross_plus(m.body(k).r, own.linear, sum_[parent].angular) + own.angular;
      sum_[parent].linear += own.linear;
    }
  }

  void required_acceleration(const LaneMechanism<W>& m) noexcept {
    for (std::size_t i = 0; i < plan_.loops.size(); ++i) {
      const Constraint& c = constraint_[i];
      for (std::size_t r = 0; r < c.G.size(); ++r) {
        const PlannedRow& row = plan_.loops[i].rows[r];
        if (row.row < 0) continue;
        lambda_[row.row] = row.turns ? dot(c.G[r].angular, c.bias.angular) : dot(c.G[r].linear, c.bias.linear);
      }
    }
    for (const PlannedCoupling& c : plan_.couplings) {
      if (c.row < 0) continue;
      const Coupling& coupling = model_.couplings()[c.index];
      lambda_[c.row] = L(coupling.ratio) * m.prescribed()[coupling.v_of] - m.prescribed()[coupling.v_dependent];
    }
  }

  /// From what the rows shall become to the multipliers, and y = L^-T (b + G^T lambda); without forces b is zero.
  void solve_rows(bool has_forces) noexcept {
    for (int r = 0; r < plan_.rows; ++r) {
      L sum = lambda_[r];
      if (has_forces) {
        for (const int i : support(r)) sum = fused_from(Yd(r)[i], y_[i], sum);
      }
      lambda_[r] = sum;
    }
    for (int s = 0; s < plan_.rows; ++s) {
      const L known = lambda_[s];
      for (int r = s + 1; r < plan_.rows; ++r) lambda_[r] = fused_from(A(r, s), known, lambda_[r]);
    }
    for (int r = 0; r < plan_.rows; ++r) lambda_[r] = lambda_[r] * inverse_A_[r];
    for (int r = plan_.rows - 1; r > 0; --r) {
      const L known = lambda_[r];
      for (int s = 0; s < r; ++s) lambda_[s] = fused_from(A(r, s), known, lambda_[s]);
    }
    for (int i = 0; i < nodes_; ++i) y_[i] = has_forces ? inverse_d_[i] * y_[i] : L();
    for (int r = 0; r < plan_.rows; ++r) {
      for (const int i : support(r)) y_[i] = fused(Yd(r)[i], lambda_[r], y_[i]);
    }
  }

  const IndexedVector<int>& support(int r) const noexcept {
    const int group = plan_.group[r];
    return plan_.common[group * (group + 1) / 2 + group];
  }

  /// L^-1 y, which is already divided by D.
  void spread(IndexedVector<L>& out) noexcept {
    for (int i = 0; i < nodes_; ++i) {
      L y = y_[i];
      for (const int j : plan_.inboard[i]) y = fused_from(M(i, j), y_[j], y);
      y_[i] = y;
      out[plan_.tree.speed[i]] = y;
    }
  }

  void correct(Spatial<W> Constraint::*what, IndexedVector<L>& step) noexcept {
    const double L2 = model_.length_m() * model_.length_m();
    for (std::size_t i = 0; i < plan_.loops.size(); ++i) {
      const Constraint& c = constraint_[i];
      Spatial<W> wanted;  // only what the joint blocks now
      for (const PlannedRow& row : plan_.loops[i].rows) {
        const Spatial<W> G = row_in_world(row, c);
        if (row.turns) {
          wanted.angular = fused_from(dot(G.angular, (c.*what).angular), G.angular, wanted.angular);
        } else {
          wanted.linear = fused_from(L(L2) * dot(G.linear, (c.*what).linear), G.linear, wanted.linear);
        }
      }
      for (std::size_t r = 0; r < c.G.size(); ++r) {
        const PlannedRow& row = plan_.loops[i].rows[r];
        if (row.row < 0) continue;
        lambda_[row.row] = row.turns ? dot(c.G[r].angular, wanted.angular) : dot(c.G[r].linear, wanted.linear);
      }
    }
    for (const PlannedCoupling& c : plan_.couplings) {
      if (c.row >= 0) lambda_[c.row] = -coupling_error_[c.index];
    }
    solve_rows(false);
    spread(step);
  }

  /// Body accelerations from vdot alone, and whether all rows, those left out too, are what they must be.
  Mask<W> misses_constraints(const LaneMechanism<W>& m) noexcept {
    constexpr double kMissedShare = 1e-10;
    for (int k = 1; k < model_.body_count(); ++k) {
      const BodyConstants& body = model_.body(k);
      const Spatial<W>& parent = acceleration_[body.parent];
      Spatial<W> own{parent.angular, cross_plus(parent.angular, m.body(k).r, parent.linear)};
      for (int i = body.v; i < body.v + body.nv; ++i) {
        if (m.driven(i)) continue;
        own.angular = fused(m.vdot_of(i), m.H(i).angular, own.angular);
        own.linear = fused(m.vdot_of(i), m.H(i).linear, own.linear);
      }
      acceleration_[k] = own;
    }
    L still(floor_);
    for (const int speed : plan_.tree.speed) still = larger(still, L(kStill) * magnitude(m.vdot_of(speed)));
    Mask<W> bad;
    const L inverse_length(1.0 / model_.length_m());
    for (std::size_t i = 0; i < plan_.loops.size(); ++i) {
      const Constraint& c = constraint_[i];
      const Spatial<W>& P = acceleration_[model_.loops()[i].predecessor];
      const Spatial<W>& S = acceleration_[model_.loops()[i].successor];
      const V succ = cross_plus(S.angular, c.arm_succ, S.linear);
      const V pred = cross_plus(P.angular, c.arm_pred, P.linear);
      const Spatial<W> missed{c.bias.angular - (S.angular - P.angular), c.bias.linear - (succ - pred)};
      const L scale = still + size(S.angular) + size(P.angular) + size(c.bias.angular) +
                      inverse_length * (size(succ) + size(pred) + size(c.bias.linear));
      for (std::size_t r = 0; r < c.G.size(); ++r) {
        const L row =
            plan_.loops[i].rows[r].turns ? dot(c.G[r].angular, missed.angular) : dot(c.G[r].linear, missed.linear);
        bad |= ~(magnitude(row) <= L(kMissedShare) * scale);
      }
    }
    for (const Coupling& c : model_.couplings()) {
      const L dependent = m.vdot_of(c.v_dependent);
      const L of = L(c.ratio) * m.vdot_of(c.v_of);
      bad |= ~(magnitude(dependent - of) <= L(kMissedShare) * (still + magnitude(dependent) + magnitude(of)));
    }
    return bad;
  }

  void add_wrench(int body, const Spatial<W>& wrench, const V& arm) noexcept {
    const V moment = cross_plus(arm, wrench.linear, wrench.angular);
    sum_[body].angular += moment;
    sum_[body].linear += wrench.linear;
    magnitude_[body].moment += size(moment);
    magnitude_[body].force += size(wrench.linear);
  }

  const Model& model_;
  LoopPlan plan_;
  int nodes_;
  double floor_ = 0.0;  // of accelerations of which shares are taken
  IndexedVector<Constraint> constraint_;
  IndexedVector<L> coupling_error_;  // or rate
  IndexedVector<Composite> composite_;
  IndexedVector<L> M_, diagonal_, inverse_d_;  // L below the diagonal once it is factorised
  IndexedVector<L> Y_, Yd_;                    // L^-T G^T, D^-1 L^-T G^T: row by row
  IndexedVector<L> A_, inverse_A_, whole_, column_, lambda_;
  IndexedVector<L> y_;
  IndexedVector<Spatial<W>> sum_, acceleration_;
  IndexedVector<Magnitude> magnitude_;
};

}  // namespace kinloop::batch
