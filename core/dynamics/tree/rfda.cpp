// Recursive forward dynamics with articulated inertias: paper 004, (8), (11), (12); docs/theory/tree.md §2.
//
//   paper            here
//   Mh_k, fh_k       ArticulatedInertia {J, L, M}, {n, f}, at x_k, world axes (articulated_inertia.hpp)
//   H_k              columns [Hw; Hv], one speed after the other: a joint of d speeds is d nodes
//   U, D, e          Elimination, with U at the parent's point
//   B_k = X(r)       shifted(): moves an inertia from x_k to the parent's x
//
// A means A^ here, so no d_k appears: the loads already contain -I A_t.
#include <vector>

#include "core/base/at.hpp"
#include "core/dynamics/articulated_inertia.hpp"
#include "core/dynamics/formulations.hpp"

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

class Rfda final : public Dynamics {
 public:
  explicit Rfda(const Model& model)
      : nodes_(at(model.body_count())), h_(nodes_.size()), eliminated_(at(model.nv())), driven_(eliminated_.size()) {
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
      ArticulatedInertia h = rigid(node.mass, ws.load[i]);
      if (!node.leaf) add(h, h_[i]);
      if (node.parent == 0 && node.single_revolute) {  // the ground takes no inertia
        regular = pivot_revolute(node, h, ws, eliminated_[at(node.v)]) && regular;
        continue;
      }
      const ArticulatedInertia to_parent = node.single_revolute ? reduce_revolute(node, ws.motion[i].r, h, ws, regular)
                                                                : reduce_general(node, ws.motion[i].r, h, ws, regular);
      ArticulatedInertia& sum = h_[at(node.parent)];
      if (node.last_child) {
        sum = to_parent;
      } else {
        add(sum, to_parent);
      }
    }
    return regular;
  }

  /// U at x_k, D and e of a speed about z; whether D is usable.
  static bool pivot_revolute(const Node& node, const ArticulatedInertia& h, const Workspace& ws,
                             Elimination& out) noexcept {
    const Vec3& z = ws.Hw[at(node.v)];
    out.Un = h.J * z;
    out.Uf = h.L * z;
    const double D = ws.armature[node.v] + dot(z, out.Un);
    out.e = ws.tau[node.v] + dot(z, h.n);
    out.inverse_D = 1.0 / D;
    return D > kSingular * trace(h.J);
  }

  /// One speed about z. The shift to the parent needs no D, so it runs beside the division instead of after it.
  ArticulatedInertia reduce_revolute(const Node& node, const Vec3& r, const ArticulatedInertia& h, const Workspace& ws,
                                     bool& regular) noexcept {
    Elimination el;
    regular = pivot_revolute(node, h, ws, el) && regular;
    ArticulatedInertia result = shifted(h, r);
    el.Un += cross(r, el.Uf);
    eliminate(result, el.Un, el.Uf, el.inverse_D, el.e);
    eliminated_[at(node.v)] = el;
    return result;
  }

  /// Any joint: its speeds one after the other, the last first since it is next to the body.
  ArticulatedInertia reduce_general(const Node& node, const Vec3& r, ArticulatedInertia& h, const Workspace& ws,
                                    bool& regular) noexcept {
    for (int i = node.v + node.nv - 1; i >= node.v; --i) {
      const auto s = at(i);
      if (driven_[s]) continue;
      const Vec3& Hw = ws.Hw[s];
      const Vec3& Hv = ws.Hv[s];
      const Vec3 Un = h.J * Hw + transposed_times(h.L, Hv);
      const Vec3 Uf = h.L * Hw + h.M * Hv;
      const double D = ws.armature[i] + dot(Hw, Un) + dot(Hv, Uf);
      const double e = ws.tau[i] + dot(Hw, h.n) + dot(Hv, h.f);
      const double inverse_D = 1.0 / D;
      regular = regular && D > kSingular * (dot(Hw, Hw) * trace(h.J) + dot(Hv, Hv) * trace(h.M));
      eliminate(h, Un, Uf, inverse_D, e);
      eliminated_[s] = {Un + cross(r, Uf), Uf, inverse_D, e};
    }
    return shifted(h, r);
  }

  /// (8), solved for speeds and accelerations; U stands at the parent's point, so that U^T B A_p is one product.
  void outward(int count, Workspace& ws) const noexcept {
    for (int k = 1; k < count; ++k) {
      const auto i = at(k);
      const Node& node = nodes_[i];
      const SpatialVector& parent = ws.A[at(node.parent)];
      Vec3 al = parent.angular;
      Vec3 a_parent = parent.linear;  // of the body-fixed point at the parent's reference point
      const Vec3& r = ws.motion[i].r;
      if (node.single_revolute) {
        const auto s = at(node.v);
        const Elimination& el = eliminated_[s];
        const double vdot = el.inverse_D * (el.e - dot(el.Un, al, el.Uf, a_parent));
        ws.vdot[node.v] = vdot;
        ws.A[i] = {fused(vdot, ws.Hw[s], al), a_parent + cross(al, r)};
        continue;
      }
      for (int j = node.v; j < node.v + node.nv; ++j) {
        const auto s = at(j);
        if (driven_[s]) {
          ws.vdot[j] = ws.prescribed[j];
          continue;
        }
        const Elimination& el = eliminated_[s];
        const double vdot = el.inverse_D * (el.e - dot(el.Un, al, el.Uf, a_parent));
        ws.vdot[j] = vdot;
        al += vdot * ws.Hw[s];
        a_parent += vdot * (ws.Hv[s] - cross(ws.Hw[s], r));
      }
      ws.A[i] = {al, a_parent + cross(al, r)};
    }
  }

  std::vector<Node> nodes_;
  std::vector<ArticulatedInertia> h_;  // sums of the children's contributions
  std::vector<Elimination> eliminated_;
  std::vector<char> driven_;  // per speed
};

}  // namespace

constinit const DynamicsKind kRfda{
    "rfda", "articulated inertias, O(n) (004 eq. 11-12)", refuse_loops,
    [](const Model& model) -> std::unique_ptr<Dynamics> { return std::make_unique<Rfda>(model); }};

}  // namespace kinloop::formulations
