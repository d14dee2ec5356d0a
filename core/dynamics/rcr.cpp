// Recursive coordinate reduction: paper 000 §3-5 (RCR, ACS, GCL) in one recursion; MATH 4.
//
//   paper                    here
//   loop i, base body 0_i    GraphClosing: tip, base; the tree is grown depth first (MATH 4.1)
//   phantom coordinates      the closing joint's own, last in Segment::slots, always dependent where they can be
//   tail p ... n, dependents Segment: its coordinates u; ClosingSolve picks the dependents by pivoting: rank is found
//   Y, z, H                  u = T u_I + sum_e E_e A_e + eps over the externals e: parent and bases
//   K_pp, K_p0, K_00         K_ of bodies, cross_ between a body and an open base (B), (MATH 4.4)
//
// Gauss's principle: the accelerations minimise the sum of 1/2 A^T I A - F^T A over all bodies, minus tau^T u.
// Leaves first, each segment eliminates its coordinates and leaves a quadratic form in the accelerations of its
// externals. A segment is at most a few bodies, so it is assembled in joint space at the point x_p of its parent, as in
// 003 §4, instead of body by body. Cost: O(bodies + loops) as long as tails do not overlap.
//
// A means A^ (workspace.hpp), so no d_k appears; a closing joint inside the tree adds its bias.
#include <cmath>
#include <limits>
#include <vector>

#include "core/dynamics/accelerations.hpp"
#include "core/dynamics/articulated.hpp"
#include "core/dynamics/formulations.hpp"
#include "core/dynamics/joint_rows.hpp"
#include "core/loops/rank_tolerance.hpp"
#include "core/loops/segments.hpp"
#include "core/math/cholesky.hpp"
#include "core/math/closing_solve.hpp"
#include "core/math/pivoted_qr.hpp"

namespace kinloop::formulations {
namespace {

std::size_t at(int i) noexcept { return static_cast<std::size_t>(i); }

Pair operator*(const Articulated& h, const Pair& A) noexcept {
  return {h.J * A.angular + transposed_times(h.L, A.linear), h.L * A.angular + h.M * A.linear};
}

/// h += a b^T + b a^T for a symmetric sum; only J, L and M below the diagonal are kept.
void add_symmetric(Articulated& h, const Pair& a, const Pair& b) noexcept {
  subtract_outer(h.J, -a.angular, b.angular);
  subtract_outer(h.J, -b.angular, a.angular);
  subtract_outer(h.L, -a.linear, b.angular);
  subtract_outer(h.L, -b.linear, a.angular);
  subtract_outer(h.M, -a.linear, b.linear);
  subtract_outer(h.M, -b.linear, a.linear);
}

/// h += factor a a^T.
void add_square(Articulated& h, double factor, const Pair& a) noexcept {
  const Pair scaled = -factor * a;
  subtract_outer(h.J, scaled.angular, a.angular);
  subtract_outer(h.L, scaled.linear, a.angular);
  subtract_outer(h.M, scaled.linear, a.linear);
}

Vector6 six(const Pair& a) noexcept { return stacked(a.angular, a.linear); }
Pair pair_of(const Vector6& a) noexcept { return {Vec3(a[0], a[1], a[2]), Vec3(a[3], a[4], a[5])}; }

/// What one external means to a segment.
struct External {
  explicit External(std::size_t slots) : E(slots), B(slots), Z(slots), g(slots) {}
  std::vector<Pair> E;  // u = ... + E A
  std::vector<Pair> B;  // A^T B u in the energy
  std::vector<Pair> Z;  // M E + B
  std::vector<Pair> g;  // L^-1 T^T Z, one per independent
};

/// Numbers of a segment, sized once.
struct Work {
  Work(const Segment& segment, std::size_t closings)
      : n(static_cast<Eigen::Index>(segment.slots.size())),
        y(segment.bodies.size()),
        composite(segment.bodies.size()),
        c(segment.slots.size()),
        bias(segment.bodies.size()),
        force(segment.bodies.size()),
        M(MatrixX::Zero(n, n)),
        T(MatrixX::Zero(n, n)),
        L(MatrixX::Zero(n, n)),
        h(VectorX::Zero(n)),
        eps(VectorX::Zero(n)),
        u(VectorX::Zero(n)),
        reduced(VectorX::Zero(n)),
        arm(closings),
        closing(static_cast<Eigen::Index>(6 * closings), n) {
    for (std::size_t e = 0; e < segment.externals.size(); ++e) externals.emplace_back(segment.slots.size());
    for (Eigen::Index j = segment.first_slot.back(); j < n; ++j) closing.set_role(j, UnknownRole::kPhantom);
  }

  Eigen::Index n;
  std::vector<Vec3> y;                 // x_b - x_p; x_p stands for the top's own point where it hangs on the ground
  std::vector<Articulated> composite;  // at x_p: the body and all beyond it in the segment
  std::vector<Pair> c;                 // columns at x_p
  std::vector<Pair> bias, force;       // at x_p
  MatrixX M, T, L;
  VectorX h, eps, u, reduced;
  std::vector<Vec3> arm;  // from x_p to the closing point
  ClosingSolve closing;
  std::vector<External> externals;
  int independents = 0;
};

/// A coupling that moves less than this share of what a free one would is locked; rounding is a hundredth of it.
constexpr double kLocked = 1e-13;

class Rcr final : public Dynamics {
 public:
  explicit Rcr(const Model& model)
      : length_m_(model.length_m()),
        graph_(model),
        plan_(model, graph_),
        motion_(model, graph_),
        mass_(at(model.body_count())),
        armature_(at(graph_.slot_count())),
        K_(at(model.body_count())),
        F_(at(model.body_count())),
        A_(at(model.body_count())),
        cross_(plan_.blocks.size(), Matrix6::Zero()),
        u_(VectorX::Zero(graph_.slot_count())),
        required_(model),
        tau_(VectorX::Zero(model.nv())),
        couplings_(model.couplings().begin(), model.couplings().end()),
        response_(MatrixX::Zero(model.nv(), coupling_count())),
        coupled_(coupling_count(), coupling_count()),
        lambda_(VectorX::Zero(coupling_count())),
        rates_(VectorX::Zero(model.nv())) {
    for (const Segment& segment : plan_.segments) work_.emplace_back(segment, segment.closings.size());
    for (int k = 1; k < model.body_count(); ++k) {
      mass_[at(k)] = model.body(k).mass;
      if (mass_[at(k)] > 0.0 && mass_[at(k)] < lightest_kg_) lightest_kg_ = mass_[at(k)];
    }
    for (int j = 0; j < graph_.slot_count(); ++j) {
      const int speed = graph_.slot_speed[at(j)];
      if (speed >= 0) armature_[at(j)] = model.coordinate(speed).armature;
    }
  }

  std::string_view name() const noexcept override { return kRcr.name; }
  void hold_choice() noexcept override { held_ = true; }
  void release_choice() noexcept override { held_ = false; }

  StepStatus solve(const Model& model, Workspace& ws) noexcept override {
    motion_.update(graph_, ws);
    if (!factorize(ws)) return StepStatus::kSingularMass;
    required_acceleration(ws, required_);
    for (std::size_t k = 1; k < F_.size(); ++k) F_[k] = {ws.load[k].n, ws.load[k].f};
    sweep(required_, ws.tau);
    ws.vdot.setZero();
    write(required_.coupling, ws.vdot);
    ws.vdot += ws.prescribed;
    update_body_accelerations(model, ws);
    return StepStatus::kOk;
  }

  void correct(const ClosureMotion& motion, VectorX& step) noexcept override {
    for (Pair& F : F_) F = Pair{};
    tau_.setZero();
    sweep(motion, tau_);
    step.setZero();
    write(motion.coupling, step);
  }

 private:
  Eigen::Index coupling_count() const noexcept { return static_cast<Eigen::Index>(couplings_.size()); }

  // ---- Matrices ----

  bool factorize(const Workspace& ws) noexcept {
    for (std::size_t k = 1; k < K_.size(); ++k) {
      K_[k] = rigid(mass_[k], ws.load[k]);
      K_[k].n = K_[k].f = Vec3();
    }
    for (Matrix6& block : cross_) block.setZero();
    const double tolerance = held_ ? stage_tolerance(ws, length_m_) : rank_tolerance(ws);
    bool regular = true;
    for (std::size_t s = 0; s < work_.size(); ++s) {
      const Segment& segment = plan_.segments[s];
      Work& w = work_[s];
      place_columns(segment, w);
      assemble(segment, w);
      close(segment, tolerance, w);
      regular = reduce(segment, w) && regular;
      hand_over(segment, w);
    }
    if (regular && !couplings_.empty()) couple();
    return regular;
  }

  void place_columns(const Segment& segment, Work& w) const noexcept {
    for (std::size_t i = 0; i < segment.bodies.size(); ++i) {
      const int up = segment.parent_in[i];
      const Vec3& r = motion_.r[at(segment.bodies[i])];
      // The ground's origin may lie kilometres away; what hangs on it needs no common point with it.
      const Vec3 top = segment.parent == 0 ? Vec3() : r;
      w.y[i] = up >= 0 ? w.y[at(up)] + r : top;
      for (int j = segment.first_slot[i]; j < segment.first_slot[i + 1]; ++j) {
        w.c[at(j)] = moved(motion_.column[at(segment.slots[at(j)])], -w.y[i]);
      }
    }
  }

  /// M, and B of every external.
  void assemble(const Segment& segment, Work& w) noexcept {
    for (std::size_t i = 0; i < segment.bodies.size(); ++i) {
      w.composite[i] = shifted(K_[at(segment.bodies[i])], w.y[i]);
    }
    for (std::size_t i = segment.bodies.size(); i-- > 1;) {
      if (segment.parent_in[i] >= 0) add(w.composite[at(segment.parent_in[i])], w.composite[i]);
    }
    w.M.setZero();
    for (External& e : w.externals) std::fill(e.B.begin(), e.B.end(), Pair{});
    for (std::size_t i = 0; i < segment.bodies.size(); ++i) {
      for (int j = segment.first_slot[i]; j < segment.first_slot[i + 1]; ++j) {
        const Pair B = w.composite[i] * w.c[at(j)];
        if (!w.externals.empty()) w.externals[0].B[at(j)] = B;
        for (int k = static_cast<int>(i); k >= 0; k = segment.parent_in[at(k)]) {
          for (int l = segment.first_slot[at(k)]; l < segment.first_slot[at(k) + 1]; ++l) {
            w.M(j, l) = w.M(l, j) = dot(w.c[at(l)], B);
          }
        }
      }
    }
    for (Eigen::Index j = 0; j < w.n; ++j) w.M(j, j) += armature_[at(segment.slots[static_cast<std::size_t>(j)])];
    for (std::size_t i = 0; i < segment.bodies.size(); ++i) {
      for (const int block : plan_.blocks_of(segment.bodies[i])) add_cross(segment, i, block, w);
    }
  }

  /// Place of a body in the segment, or -1.
  static int place_of(const Segment& segment, int body) noexcept {
    for (std::size_t i = 0; i < segment.bodies.size(); ++i) {
      if (segment.bodies[i] == body) return static_cast<int>(i);
    }
    return -1;
  }
  static int external_of(const Segment& segment, int body) noexcept {
    for (std::size_t e = 0; e < segment.externals.size(); ++e) {
      if (segment.externals[e] == body) return static_cast<int>(e);
    }
    return -1;
  }

  /// Calls use(slot) for all coordinates that move body i of the segment.
  template <class Use>
  static void for_path(const Segment& segment, int i, Use use) noexcept {
    for (; i >= 0; i = segment.parent_in[at(i)]) {
      for (int j = segment.first_slot[at(i)]; j < segment.first_slot[at(i) + 1]; ++j) use(j);
    }
  }

  /// An inertia between body i and an ancestor, left by a loop further out (GCL).
  void add_cross(const Segment& segment, std::size_t i, int block, Work& w) noexcept {
    const int ancestor = plan_.blocks[at(block)].ancestor;
    Matrix6 K = motion_shift(w.y[i].eigen()).transpose() * cross_[at(block)];
    const int inside = place_of(segment, ancestor);
    const int external = inside >= 0 ? 0 : external_of(segment, ancestor);
    if (inside >= 0) K = K * motion_shift(w.y[at(inside)].eigen());
    for_path(segment, static_cast<int>(i), [&](int j) {
      const Pair B = pair_of(K.transpose() * six(w.c[at(j)]));
      if (!w.externals.empty()) w.externals[at(external)].B[at(j)] = w.externals[at(external)].B[at(j)] + B;
      if (inside < 0) return;
      for_path(segment, inside, [&](int l) {
        const double value = dot(B, w.c[at(l)]);
        w.M(j, l) += value;
        w.M(l, j) += value;
      });
    });
    if (inside >= 0 && !w.externals.empty()) {
      for_path(segment, inside,
               [&](int l) { w.externals[0].B[at(l)] = w.externals[0].B[at(l)] + pair_of(K * six(w.c[at(l)])); });
    }
    if (w.externals.empty()) return;
    if (inside >= 0 || external == 0) {
      add_matrix(K + K.transpose(), w.composite[0]);
    } else {
      cross_[at(plan_.block(segment.parent, ancestor))] += K;
    }
  }

  static void add_matrix(const Matrix6& m, Articulated& h) noexcept {
    h.J = h.J + Mat3(Matrix3(m.topLeftCorner<3, 3>()));
    h.L = h.L + Mat3(Matrix3(m.bottomLeftCorner<3, 3>()));
    h.M = h.M + Mat3(Matrix3(m.bottomRightCorner<3, 3>()));
  }

  /// The closing conditions at the closing points, rows [w; v / L], solved for the dependent coordinates.
  void close(const Segment& segment, double tolerance, Work& w) noexcept {
    if (segment.closings.empty()) return;
    auto S = w.closing.S();
    S.setZero();
    const double per_length = 1.0 / length_m_;
    const auto put = [&](Eigen::Index row, int slot, const Pair& a, double sign) {
      for (int i = 0; i < 3; ++i) {
        S(row + i, slot) += sign * a.angular[i];
        S(row + 3 + i, slot) += sign * per_length * a.linear[i];
      }
    };
    int phantom = segment.first_slot.back();
    for (std::size_t q = 0; q < segment.closings.size(); ++q) {
      const auto index = at(segment.closings[q]);
      const GraphClosing& closing = graph_.closings[index];
      const auto row = static_cast<Eigen::Index>(6 * q);
      const int tip = place_of(segment, closing.tip);
      w.arm[q] = w.y[at(tip)] + motion_.tip_arm[index];
      for_path(segment, tip, [&](int j) { put(row, j, moved(w.c[at(j)], w.arm[q]), 1.0); });
      for_path(segment, place_of(segment, closing.base),
               [&](int j) { put(row, j, moved(w.c[at(j)], w.arm[q]), -1.0); });
      const GraphEdge& edge = graph_.edges[at(closing.edge)];
      for (int j = 0; j < edge.slots; ++j) put(row, phantom++, motion_.column[at(edge.first_slot + j)], -1.0);
    }
    if (held_) {
      w.closing.solve_again(tolerance);
    } else {
      w.closing.solve(tolerance);
    }
  }

  /// Row of J for pivot i, closing q, as what it takes from a relative acceleration at the closing point.
  Pair row_of(const Work& w, int i, std::size_t q) const noexcept {
    const auto s = static_cast<Eigen::Index>(6 * q);
    const double per_length = 1.0 / length_m_;
    return {Vec3(w.closing.J(i, s), w.closing.J(i, s + 1), w.closing.J(i, s + 2)),
            per_length * Vec3(w.closing.J(i, s + 3), w.closing.J(i, s + 4), w.closing.J(i, s + 5))};
  }

  /// u = T u_I + sum E A + eps; then u_I is eliminated.
  bool reduce(const Segment& segment, Work& w) noexcept {
    const bool closed = !segment.closings.empty();
    w.independents = closed ? static_cast<int>(w.closing.independent().size()) : static_cast<int>(w.n);
    if (closed) {
      depend(segment, w);
      // M_II = T^T M T, through the rows of M T.
      for (int b = 0; b < w.independents; ++b) {
        w.reduced.noalias() = w.M * w.T.col(b);
        for (int a = b; a < w.independents; ++a) w.L(a, b) = w.T.col(a).dot(w.reduced);
      }
      for (External& e : w.externals) {
        for (Eigen::Index i = 0; i < w.n; ++i) {
          Pair sum = e.B[static_cast<std::size_t>(i)];
          for (int d = 0; d < w.closing.rank(); ++d) {
            const int j = w.closing.dependent(d);
            sum = sum + w.M(i, j) * e.E[at(j)];
          }
          e.Z[static_cast<std::size_t>(i)] = sum;
        }
      }
    } else {
      w.L = w.M;
      for (External& e : w.externals) e.Z = e.B;
    }
    if (!factorize_cholesky(w.L, w.independents)) return false;
    for (External& e : w.externals) {
      for (int a = 0; a < w.independents; ++a) {
        Pair sum;
        if (closed) {
          for (Eigen::Index i = 0; i < w.n; ++i) sum = sum + w.T(i, a) * e.Z[static_cast<std::size_t>(i)];
        } else {
          sum = e.Z[at(a)];
        }
        for (int b = 0; b < a; ++b) sum = sum - w.L(a, b) * e.g[at(b)];
        e.g[at(a)] = (1.0 / w.L(a, a)) * sum;
      }
    }
    return true;
  }

  void depend(const Segment& segment, Work& w) const noexcept {
    const std::vector<int>& independent = w.closing.independent();
    w.T.setZero();
    for (std::size_t a = 0; a < independent.size(); ++a) w.T(independent[a], static_cast<Eigen::Index>(a)) = 1.0;
    for (External& e : w.externals) std::fill(e.E.begin(), e.E.end(), Pair{});
    for (int i = 0; i < w.closing.rank(); ++i) {
      const int d = w.closing.dependent(i);
      for (std::size_t a = 0; a < independent.size(); ++a) {
        w.T(d, static_cast<Eigen::Index>(a)) = w.closing.T(i, independent[a]);
      }
      if (w.externals.empty()) continue;
      for (std::size_t q = 0; q < segment.closings.size(); ++q) {
        const auto index = at(segment.closings[q]);
        const int base = graph_.closings[index].base;
        if (base == segment.parent || place_of(segment, base) >= 0) continue;  // moves tip and base alike
        const Pair row = row_of(w, i, q);
        w.externals[0].E[at(d)] = w.externals[0].E[at(d)] - wrench_moved(row, w.arm[q]);
        if (base == 0) continue;
        Pair& E = w.externals[at(external_of(segment, base))].E[at(d)];
        E = E + wrench_moved(row, motion_.base_arm[index]);
      }
    }
  }

  /// What the segment leaves to its externals.
  void hand_over(const Segment& segment, Work& w) noexcept {
    for (std::size_t e = 0; e < w.externals.size(); ++e) {
      Articulated& K = K_[at(segment.externals[e])];
      if (e == 0) add(K, w.composite[0]);
      square(w.externals[e], w, K);
      for (std::size_t f = 0; f < e; ++f) {
        // The parent is the deepest; bases are compared by depth.
        const bool f_deeper =
            graph_.bodies[at(segment.externals[f])].depth > graph_.bodies[at(segment.externals[e])].depth;
        const std::size_t deep = f_deeper ? f : e;
        const std::size_t shallow = f_deeper ? e : f;
        cross_[at(plan_.block(segment.externals[deep], segment.externals[shallow]))] +=
            product(w.externals[deep], w.externals[shallow], w);
      }
    }
  }

  /// E^T M E + E^T B + B^T E - g^T g = E^T Z + B^T E - g^T g.
  static void square(const External& e, const Work& w, Articulated& K) noexcept {
    for (int d = 0; d < w.closing.rank(); ++d) {
      const auto j = at(w.closing.dependent(d));
      add_symmetric(K, e.E[j], 0.5 * (e.Z[j] + e.B[j]));
    }
    for (int a = 0; a < w.independents; ++a) add_square(K, -1.0, e.g[at(a)]);
  }

  static Matrix6 product(const External& e, const External& f, const Work& w) noexcept {
    Matrix6 K = Matrix6::Zero();
    for (int d = 0; d < w.closing.rank(); ++d) {
      const auto j = at(w.closing.dependent(d));
      K += six(e.E[j]) * six(f.Z[j]).transpose() + six(e.B[j]) * six(f.E[j]).transpose();
    }
    for (int a = 0; a < w.independents; ++a) K -= six(e.g[at(a)]) * six(f.g[at(a)]).transpose();
    return K;
  }

  // ---- Vectors ----

  /// u_ from the forces in F_, tau per speed and the motions wanted of the closures.
  void sweep(const ClosureMotion& wanted, const VectorX& tau) noexcept {
    for (std::size_t s = 0; s < work_.size(); ++s) inward(plan_.segments[s], wanted, tau, work_[s]);
    A_[0] = Pair{};
    for (std::size_t s = work_.size(); s-- > 0;) outward(plan_.segments[s], wanted, work_[s]);
  }

  void inward(const Segment& segment, const ClosureMotion& wanted, const VectorX& tau, Work& w) noexcept {
    bool biased = false;
    for (std::size_t i = 0; i < segment.bodies.size(); ++i) {
      const int b = segment.bodies[i];
      const int up = segment.parent_in[i];
      w.bias[i] = up >= 0 ? w.bias[at(up)] : Pair{};
      if (graph_.edges[at(graph_.bodies[at(b)].edge)].loop >= 0) {
        w.bias[i] = w.bias[i] + moved(motion_.bias_of_body(graph_, b, wanted), -w.y[i]);
        biased = true;
      }
      w.force[i] = wrench_moved(F_[at(b)], w.y[i]);
    }
    if (biased) add_bias_forces(segment, w);
    for (std::size_t i = segment.bodies.size(); i-- > 1;) {
      if (segment.parent_in[i] >= 0) w.force[at(segment.parent_in[i])] = w.force[at(segment.parent_in[i])] + w.force[i];
    }
    for (std::size_t j = 0; j < segment.slots.size(); ++j) {
      const int speed = graph_.slot_speed[at(segment.slots[j])];
      const int body = segment.slot_body[j];
      double h = speed >= 0 ? tau[speed] : 0.0;
      if (body >= 0) h += dot(w.c[j], w.force[at(body)]);
      w.h[static_cast<Eigen::Index>(j)] = h;
    }
    if (!segment.closings.empty()) find_eps(segment, wanted, w);
    eliminate_vector(segment, w);
  }

  /// A closing joint inside the tree gives bodies an acceleration of their own.
  void add_bias_forces(const Segment& segment, Work& w) noexcept {
    for (std::size_t i = 0; i < segment.bodies.size(); ++i) {
      const Pair at_body = moved(w.bias[i], w.y[i]);
      w.force[i] = w.force[i] - wrench_moved(K_[at(segment.bodies[i])] * at_body, w.y[i]);
      for (const int block : plan_.blocks_of(segment.bodies[i])) {
        const int ancestor = plan_.blocks[at(block)].ancestor;
        const Pair on_ancestor = pair_of(cross_[at(block)].transpose() * six(at_body));
        const int inside = place_of(segment, ancestor);
        if (inside >= 0) {
          w.force[at(inside)] = w.force[at(inside)] - wrench_moved(on_ancestor, w.y[at(inside)]);
          const Pair of_ancestor = moved(w.bias[at(inside)], w.y[at(inside)]);
          w.force[i] = w.force[i] - wrench_moved(pair_of(cross_[at(block)] * six(of_ancestor)), w.y[i]);
        } else if (ancestor != 0) {
          F_[at(ancestor)] = F_[at(ancestor)] - on_ancestor;
        }
      }
    }
  }

  void find_eps(const Segment& segment, const ClosureMotion& wanted, Work& w) const noexcept {
    w.eps.setZero();
    for (std::size_t q = 0; q < segment.closings.size(); ++q) {
      const auto index = at(segment.closings[q]);
      const GraphClosing& closing = graph_.closings[index];
      Pair gap = w.bias[at(place_of(segment, closing.tip))];
      const int base = place_of(segment, closing.base);
      if (base >= 0) gap = gap - w.bias[at(base)];
      gap = moved(gap, w.arm[q]) - motion_.bias_of_closing(graph_, index, wanted);
      for (int i = 0; i < w.closing.rank(); ++i) w.eps[w.closing.dependent(i)] -= dot(row_of(w, i, q), gap);
    }
  }

  void eliminate_vector(const Segment& segment, Work& w) noexcept {
    const bool closed = !segment.closings.empty();
    w.u = w.h;
    if (closed) w.u.noalias() -= w.M * w.eps;
    for (int a = 0; a < w.independents; ++a) {
      double sum = closed ? w.T.col(a).dot(w.u) : w.u[a];
      for (int b = 0; b < a; ++b) sum -= w.L(a, b) * w.reduced[b];
      w.reduced[a] = sum / w.L(a, a);
    }
    for (std::size_t e = 0; e < w.externals.size(); ++e) {
      const External& external = w.externals[e];
      Pair force = e == 0 ? w.force[0] : Pair{};
      for (int d = 0; d < w.closing.rank(); ++d) {
        const int j = w.closing.dependent(d);
        force = force + w.h[j] * external.E[at(j)] - w.eps[j] * external.Z[at(j)];
      }
      for (int a = 0; a < w.independents; ++a) force = force - w.reduced[a] * external.g[at(a)];
      Pair& F = F_[at(segment.externals[e])];
      F = F + force;
    }
  }

  void outward(const Segment& segment, const ClosureMotion& wanted, Work& w) noexcept {
    const bool closed = !segment.closings.empty();
    for (std::size_t e = 0; e < w.externals.size(); ++e) {
      const Pair& A = A_[at(segment.externals[e])];
      for (int a = 0; a < w.independents; ++a) w.reduced[a] -= dot(w.externals[e].g[at(a)], A);
    }
    for (int a = w.independents - 1; a >= 0; --a) {
      for (int b = a + 1; b < w.independents; ++b) w.reduced[a] -= w.L(b, a) * w.reduced[b];
      w.reduced[a] /= w.L(a, a);
    }
    if (closed) {
      w.u.noalias() = w.T.leftCols(w.independents) * w.reduced.head(w.independents);
      w.u += w.eps;
      for (std::size_t e = 0; e < w.externals.size(); ++e) {
        const Pair& A = A_[at(segment.externals[e])];
        for (int d = 0; d < w.closing.rank(); ++d) {
          const int j = w.closing.dependent(d);
          w.u[j] += dot(w.externals[e].E[at(j)], A);
        }
      }
    } else {
      w.u = w.reduced;
    }
    for (std::size_t j = 0; j < segment.slots.size(); ++j) u_[segment.slots[j]] = w.u[static_cast<Eigen::Index>(j)];
    for (std::size_t i = 0; i < segment.bodies.size(); ++i) {
      const int b = segment.bodies[i];
      Pair A = moved(A_[at(graph_.bodies[at(b)].parent)], motion_.r[at(b)]) + motion_.bias_of_body(graph_, b, wanted);
      for (int j = segment.first_slot[i]; j < segment.first_slot[i + 1]; ++j) {
        A = A + w.u[j] * motion_.column[at(segment.slots[at(j)])];
      }
      A_[at(b)] = A;
    }
  }

  // ---- Couplings: multipliers on top of the closed mechanism ----

  double along(const Coupling& c, const VectorX& rates) const noexcept {
    return rates[c.v_dependent] - c.ratio * rates[c.v_of];
  }

  /// Response of all speeds to a unit force in every coupling.
  void couple() noexcept {
    ClosureMotion& none = required_;
    for (Pair& motion : none.loop) motion = Pair{};
    for (Eigen::Index i = 0; i < coupling_count(); ++i) {
      const Coupling& c = couplings_[static_cast<std::size_t>(i)];
      for (Pair& F : F_) F = Pair{};
      tau_.setZero();
      tau_[c.v_dependent] += 1.0;
      tau_[c.v_of] -= c.ratio;
      sweep(none, tau_);
      rates_.setZero();
      take_speeds(rates_);
      response_.col(i) = rates_;
    }
    for (Eigen::Index i = 0; i < coupling_count(); ++i) {
      for (Eigen::Index j = 0; j < coupling_count(); ++j) {
        rates_ = response_.col(j);
        coupled_.matrix()(i, j) = along(couplings_[static_cast<std::size_t>(i)], rates_);
      }
      coupled_.active()[static_cast<std::size_t>(i)] = coupled_.matrix()(i, i) > kLocked * mobility_size(i) ? 1 : 0;
    }
    coupled_.factorize(kRankTolerance);
  }

  /// What a coupling's mobility would be if it moved the lightest body over the mechanism's length: against this
  /// rounding is judged, since a coupling that the loops leave no motion responds with nothing else.
  double mobility_size(Eigen::Index i) const noexcept {
    const Coupling& c = couplings_[static_cast<std::size_t>(i)];
    double size = 0.0;
    for (int j = 0; j < graph_.slot_count(); ++j) {
      const int speed = graph_.slot_speed[at(j)];
      if (speed < 0 || (speed != c.v_dependent && speed != c.v_of)) continue;
      const Pair& H = motion_.column[at(j)];
      const double factor = speed == c.v_of ? c.ratio : 1.0;
      const double moves2 = dot(H.angular, H.angular) + dot(H.linear, H.linear) / (length_m_ * length_m_);
      if (moves2 > 0.0) size += factor * factor / moves2;
    }
    return size / (lightest_kg_ * length_m_ * length_m_);
  }

  void take_speeds(VectorX& rates) const noexcept {
    for (int j = 0; j < graph_.slot_count(); ++j) {
      const int speed = graph_.slot_speed[at(j)];
      if (speed >= 0) rates[speed] = u_[j];
    }
  }

  void write(const VectorX& wanted, VectorX& rates) noexcept {
    take_speeds(rates);
    if (couplings_.empty()) return;
    for (Eigen::Index i = 0; i < coupling_count(); ++i) {
      lambda_[i] = wanted[i] - along(couplings_[static_cast<std::size_t>(i)], rates);
    }
    coupled_.apply_transposed(lambda_);
    coupled_.solve(lambda_);
    for (int i = 0; i < coupled_.rank(); ++i) rates += lambda_[i] * response_.col(coupled_.pivot(i));
  }

  double length_m_;
  LoopGraph graph_;
  SegmentPlan plan_;
  GraphMotion motion_;
  std::vector<Work> work_;
  std::vector<double> mass_;
  std::vector<double> armature_;  // per slot
  std::vector<Articulated> K_;    // at x_b, with all that was eliminated beyond
  std::vector<Pair> F_, A_;
  std::vector<Matrix6> cross_;  // rows at x of the body, columns at x of the ancestor
  VectorX u_;                   // per slot
  ClosureMotion required_;
  VectorX tau_;
  std::vector<Coupling> couplings_;
  double lightest_kg_ = std::numeric_limits<double>::infinity();
  MatrixX response_;
  PivotedQr coupled_;
  VectorX lambda_, rates_;
  bool held_ = false;
};

}  // namespace

constinit const DynamicsKind kRcr{
    "rcr", "recursive coordinate reduction, O(n + m) with loops (000)", accept_all,
    [](const Model& model) -> std::unique_ptr<Dynamics> { return std::make_unique<Rcr>(model); }};

}  // namespace kinloop::formulations
