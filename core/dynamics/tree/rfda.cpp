// Recursive forward dynamics with articulated inertias: paper 004, (8), (11), (12); docs/theory/tree.md §2. It is
// Featherstone's articulated-body algorithm.
//
//   paper            here
//   Mh_k, fh_k       ArticulatedInertia {J, L, M}, {n, f}, at x_k, world axes (articulated_inertia.hpp)
//   H_k              columns [Hw; Hv], one speed after the other: a joint of d speeds is d nodes
//   U, D, e          Elimination, with U at the parent's point
//   B_k = X(r)       shifted(): moves an inertia from x_k to the parent's x
//
// A means A^ here, so no d_k appears: the loads already contain -I A_t.
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/at.hpp"
#include "core/dynamics/articulated_inertia.hpp"
#include "core/dynamics/formulations.hpp"
#include "core/dynamics/planar_form.hpp"
#include "core/dynamics/planar_inertia.hpp"

namespace kinloop::formulations {
namespace {

/// What the sweeps need to know of a body, packed: the Model's records are too large to stream through twice.
struct Node {
  int parent = 0;
  int v = 0;
  int nv = 0;
  bool single_revolute = false;  // one free speed turning about a line through x_k: the hot path
  bool leaf = true;
  bool last_child = false;  // its contribution reaches the parent first, so it is stored and not added
  double mass = 0.0;
};

/// Articulated inertia and force of a body, at x_k.
template <class Algebra>
struct ArticulatedInertiaOf;

template <>
struct ArticulatedInertiaOf<SpatialAlgebra> : ArticulatedInertia {
  ArticulatedInertiaOf() = default;
  explicit ArticulatedInertiaOf(const ArticulatedInertia& IA) noexcept : ArticulatedInertia(IA) {}
  ArticulatedInertiaOf(const SpatialView& view, int body, double mass) noexcept
      : ArticulatedInertia(rigid(mass, view.workspace().load[at(body)])) {}

  SpatialVector force() const noexcept { return {n, f}; }
  double scale(const SpatialVector& H) const noexcept { return turning2(H) * trace(J) + moving2(H) * trace(M); }
};

template <>
struct ArticulatedInertiaOf<PlanarAlgebra> : PlanarInertia {
  ArticulatedInertiaOf() = default;
  ArticulatedInertiaOf(const PlanarInertia& IA, const PlanarVector& force) noexcept : PlanarInertia(IA), p(force) {}
  ArticulatedInertiaOf(const PlanarView& view, int body, double mass) noexcept
      : PlanarInertia(body_inertia(view, body, mass)), p(view.load(body)) {}

  const PlanarVector& force() const noexcept { return p; }
  double scale(const PlanarVector& column) const noexcept {
    return turning2(column) * H(0, 0) + moving2(column) * (H(1, 1) + H(2, 2));
  }

  PlanarVector p;
};

using SpatialNode = ArticulatedInertiaOf<SpatialAlgebra>;
using PlanarNode = ArticulatedInertiaOf<PlanarAlgebra>;

inline SpatialVector times(const SpatialNode& IA, const SpatialVector& H) noexcept {
  return {IA.J * H.angular + transposed_times(IA.L, H.linear), IA.L * H.angular + IA.M * H.linear};
}
inline PlanarVector times(const PlanarNode& IA, const PlanarVector& H) noexcept {
  return static_cast<const PlanarInertia&>(IA) * H;
}

/// start + a . b.
inline double added_product(double start, const SpatialVector& a, const SpatialVector& b) noexcept {
  return start + dot(a.angular, b.angular) + dot(a.linear, b.linear);
}
inline double added_product(double start, const PlanarVector& a, const PlanarVector& b) noexcept {
  return start + dot(a, b);
}

inline void add_to(SpatialNode& sum, const SpatialNode& IA) noexcept { add(sum, IA); }
inline void add_to(PlanarNode& sum, const PlanarNode& IA) noexcept {
  add(static_cast<PlanarInertia&>(sum), IA);
  sum.p = sum.p + IA.p;
}

inline SpatialNode shifted_to(const SpatialNode& IA, const Vec3& r) noexcept {
  return SpatialNode(shifted(static_cast<const ArticulatedInertia&>(IA), r));
}
inline PlanarNode shifted_to(const PlanarNode& IA, const PlanarArm& r) noexcept {
  return {shifted(static_cast<const PlanarInertia&>(IA), r), shift_force(IA.p, r)};
}

/// (11), (12).
inline void eliminate_from(SpatialNode& IA, const SpatialVector& U, double inverse_D, double e) noexcept {
  eliminate(IA, U.angular, U.linear, inverse_D, e);
}
inline void eliminate_from(PlanarNode& IA, const PlanarVector& U, double inverse_D, double e) noexcept {
  const PlanarVector s = inverse_D * U;
  subtract_outer(IA, U, s);
  IA.p.parts = fused_from(e, s.parts, IA.p.parts);
}

/// A speed that turns about a line through x_k: where it acts, U, and the products with its column.
struct SpatialTurn {
  SpatialTurn(const SpatialView& view, int speed) noexcept : z(view.workspace().Hw[at(speed)]) {}
  SpatialVector times(const SpatialNode& IA) const noexcept { return {IA.J * z, IA.L * z}; }
  double along(const SpatialVector& a) const noexcept { return dot(z, a.angular); }
  static double scale(const SpatialNode& IA) noexcept { return trace(IA.J); }
  /// a + vdot times the column.
  SpatialVector added(double vdot, const SpatialVector& a) const noexcept {
    return {fused(vdot, z, a.angular), a.linear};
  }
  Vec3 z;
};
struct PlanarTurn {
  PlanarTurn(const PlanarView& view, int speed) noexcept : sign(view.plane().turn(speed)) {}
  PlanarVector times(const PlanarNode& IA) const noexcept { return {sign * IA.H.c[0]}; }
  double along(const PlanarVector& a) const noexcept { return sign * a.angular(); }
  static double scale(const PlanarNode& IA) noexcept { return IA.H(0, 0); }
  PlanarVector added(double vdot, const PlanarVector& a) const noexcept {
    return {a.parts + Vec3(sign * vdot, 0.0, 0.0)};
  }
  double sign;
};

/// The accelerations that the outward sweep has found: those of the workspace, or in the plane beside them.
class SpatialAccelerations {
 public:
  explicit SpatialAccelerations(std::size_t /*bodies*/) {}
  const SpatialVector& of(int body, const Workspace& ws) const noexcept { return ws.A[at(body)]; }
  void set(int body, const SpatialVector& A, const SpatialView& /*view*/, Workspace& ws) noexcept {
    ws.A[at(body)] = A;
  }
};
class PlanarAccelerations {
 public:
  explicit PlanarAccelerations(std::size_t bodies) : A_(bodies) {}
  const PlanarVector& of(int body, const Workspace& /*ws*/) const noexcept { return A_[at(body)]; }
  void set(int body, const PlanarVector& A, const PlanarView& view, Workspace& ws) noexcept {
    A_[at(body)] = A;
    ws.A[at(body)] = view.plane().lifted(A);
  }

 private:
  std::vector<PlanarVector> A_;  // ground first, which stays
};

template <class Algebra>
class Rfda final : public Dynamics {
  using View = typename Algebra::View;
  using Vector = typename Algebra::Vector;
  using Arm = typename Algebra::Arm;
  using Inertia = ArticulatedInertiaOf<Algebra>;
  static constexpr bool kInSpace = std::is_same_v<Algebra, SpatialAlgebra>;
  using Turn = std::conditional_t<kInSpace, SpatialTurn, PlanarTurn>;
  using Accelerations = std::conditional_t<kInSpace, SpatialAccelerations, PlanarAccelerations>;

  /// What the outward sweep needs of one speed, U at the parent's point.
  struct Eliminated {
    Vector U;
    double inverse_D = 0.0;
    double e = 0.0;
  };

 public:
  explicit Rfda(const Model& model, View view = View())
      : view_(std::move(view)),
        nodes_(at(model.body_count())),
        IA_(nodes_.size()),
        A_(nodes_.size()),
        eliminated_(at(model.nv())),
        driven_(eliminated_.size()) {
    for (int k = model.body_count() - 1; k > 0; --k) {
      const BodyConstants& body = model.body(k);
      Node& node = nodes_[at(k)];
      Node& parent = nodes_[at(body.parent)];
      node.last_child = parent.leaf;
      parent.leaf = false;
      node.parent = body.parent;
      node.v = body.v;
      node.nv = body.nv;
      node.mass = body.mass;
      node.single_revolute = body.joint == JointType::kRevolute && !body.driven;
    }
    for (int i = 0; i < model.nv(); ++i) {
      driven_[at(i)] = model.coordinate(i).motion >= 0;
    }
  }

  std::string_view name() const noexcept override { return kRfda.name; }

  StepStatus solve(const Model& model, Workspace& ws) noexcept override {
    view_.look_at(ws);
    const bool regular = inward(model.body_count(), ws);
    if (!regular) return StepStatus::kSingularMass;
    outward(model.body_count(), ws);
    return StepStatus::kOk;
  }

 private:
  bool inward(int count, const Workspace& ws) noexcept {
    bool regular = true;
    for (int k = count - 1; k > 0; --k) {
      const auto i = at(k);
      const Node& node = nodes_[i];
      Inertia IA(view_, k, node.mass);
      if (!node.leaf) add_to(IA, IA_[i]);
      if (node.parent == 0 && node.single_revolute) {  // the ground takes no inertia
        regular = pivot_revolute(node, IA, ws, eliminated_[at(node.v)]) && regular;
        continue;
      }
      const Arm r = view_.arm(k);
      const Inertia to_parent =
          node.single_revolute ? reduce_revolute(node, r, IA, ws, regular) : reduce_general(node, r, IA, ws, regular);
      Inertia& sum = IA_[at(node.parent)];
      if (node.last_child) {
        sum = to_parent;
      } else {
        add_to(sum, to_parent);
      }
    }
    return regular;
  }

  /// U at x_k, D and e of a speed about z; whether D is usable.
  bool pivot_revolute(const Node& node, const Inertia& IA, const Workspace& ws, Eliminated& out) const noexcept {
    const Turn turn(view_, node.v);
    out.U = turn.times(IA);
    const double D = ws.armature[node.v] + turn.along(out.U);
    out.e = ws.tau[node.v] + turn.along(IA.force());
    out.inverse_D = 1.0 / D;
    return D > kSingular * Turn::scale(IA);
  }

  /// One speed about z. The shift to the parent needs no D, so it runs beside the division instead of after it.
  Inertia reduce_revolute(const Node& node, const Arm& r, const Inertia& IA, const Workspace& ws,
                          bool& regular) noexcept {
    Eliminated el;
    regular = pivot_revolute(node, IA, ws, el) && regular;
    Inertia result = shifted_to(IA, r);
    el.U = shift_force(el.U, r);
    eliminate_from(result, el.U, el.inverse_D, el.e);
    eliminated_[at(node.v)] = el;
    return result;
  }

  /// Any joint: its speeds one after the other, the last first since it is next to the body.
  Inertia reduce_general(const Node& node, const Arm& r, Inertia& IA, const Workspace& ws, bool& regular) noexcept {
    for (int i = node.v + node.nv - 1; i >= node.v; --i) {
      const auto s = at(i);
      if (driven_[s]) continue;
      const Vector H = view_.column(i);
      const Vector U = times(IA, H);
      const double D = added_product(ws.armature[i], H, U);
      const double e = added_product(ws.tau[i], H, IA.force());
      const double inverse_D = 1.0 / D;
      regular = regular && D > kSingular * IA.scale(H);
      eliminate_from(IA, U, inverse_D, e);
      eliminated_[s] = {shift_force(U, r), inverse_D, e};
    }
    return shifted_to(IA, r);
  }

  /// (8), solved for speeds and accelerations; U stands at the parent's point, so that U^T B A_p is one product.
  void outward(int count, Workspace& ws) noexcept {
    for (int k = 1; k < count; ++k) {
      const Node& node = nodes_[at(k)];
      const Arm r = view_.arm(k);
      Vector A = A_.of(node.parent, ws);  // of the body-fixed point at the parent's reference point
      if (node.single_revolute) {
        const Eliminated& el = eliminated_[at(node.v)];
        const double vdot = el.inverse_D * (el.e - dot(el.U, A));
        ws.vdot[node.v] = vdot;
        A_.set(k, Turn(view_, node.v).added(vdot, shift_motion(A, r)), view_, ws);
        continue;
      }
      for (int j = node.v; j < node.v + node.nv; ++j) {
        const auto s = at(j);
        if (driven_[s]) {
          ws.vdot[j] = ws.prescribed[j];
          continue;
        }
        const Eliminated& el = eliminated_[s];
        const double vdot = el.inverse_D * (el.e - dot(el.U, A));
        ws.vdot[j] = vdot;
        A = A + vdot * shift_motion(view_.column(j), -r);
      }
      A_.set(k, shift_motion(A, r), view_, ws);
    }
  }

  View view_;
  std::vector<Node> nodes_;
  std::vector<Inertia> IA_;  // sums of the children's contributions
  Accelerations A_;
  std::vector<Eliminated> eliminated_;
  std::vector<char> driven_;  // per speed
};

}  // namespace

constinit const DynamicsKind kRfda{"rfda", "articulated inertias, O(n) (004 eq. 11-12)", refuse_loops,
                                   [](const Model& model) -> std::unique_ptr<Dynamics> {
                                     if (auto plane = find_motion_plane(model)) {
                                       return std::make_unique<Rfda<PlanarAlgebra>>(model,
                                                                                    PlanarView(std::move(*plane)));
                                     }
                                     return make_spatial_rfda(model);
                                   }};

std::unique_ptr<Dynamics> make_spatial_rfda(const Model& model) {
  return std::make_unique<Rfda<SpatialAlgebra>>(model);
}

}  // namespace kinloop::formulations
