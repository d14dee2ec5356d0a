// Semi-recursive method II: composite inertias, paper 003 §4 and 6.2; docs/theory/semi-recursive.md §2.
//
//   paper            here
//   b_k              column of a speed at the point x_k of its body: ws.Hw, ws.Hv
//   M0_k, Q0_k       inertia and load of body k
//   Mc_k, Qc_k       composite_: their sums over the subtree of body k, at x_k
//   M, h             joint-space inertia and right side
//
// The paper sums all at one common point O. There m |x_k - O|^2 is added to inertias that may be smaller by eighteen
// digits (links of a millimetre on a boom of a hundred metres) and taken away again in the products with b_k. Sums at
// each body's own point are the same numbers without that loss; what is shifted instead is one wrench per ancestor.
//
// Velocity terms d_k are part of A_t, which the loads already contain.
#include <vector>

#include "core/base/at.hpp"
#include "core/dynamics/formulations.hpp"
#include "core/dynamics/loops/joint_space_dynamics.hpp"
#include "core/kinematics/composite_inertia.hpp"

namespace kinloop::formulations {
namespace {

/// A rigid composite: ten numbers of inertia, six of load.
struct Composite : CompositeInertia {
  Vec3 n, f;
};

class SemiRecursive2 final : public InertiaBuilder {
 public:
  explicit SemiRecursive2(const Model& model) : tree_(model), composite_(at(model.body_count())) {}

  void build(const Model& model, const Workspace& ws, JointSpace& space) noexcept override {
    add_composites(model, ws);
    project_inertia(model, ws, space.M(), space.h());
  }

 private:
  /// Mc_k and Qc_k.
  void add_composites(const Model& model, const Workspace& ws) noexcept {
    for (int k = 1; k < model.body_count(); ++k) {
      const BodyLoad& load = ws.load[at(k)];
      composite_[at(k)] = {body_inertia(model, ws, k), load.n, load.f};
    }
    for (int k = model.body_count() - 1; k > 0; --k) {  // leaves first: a body is whole before its parent takes it
      const int parent = model.body(k).parent;
      if (parent <= 0) continue;
      const Composite& c = composite_[at(k)];
      Composite& p = composite_[at(parent)];
      const Vec3& r = ws.motion[at(k)].r;
      const ParallelAxisTerms more = parallel_axis(c, r);
      p = {{p.J + c.J + (diagonal3(more.trace) - more.products), p.mc + c.mc + c.mass * r, p.mass + c.mass},
           p.n + c.n + cross(r, c.f),
           p.f + c.f};
    }
  }

  void project_inertia(const Model& model, const Workspace& ws, MatrixX& M, VectorX& h) noexcept {
    for (int i = 0; i < tree_.size(); ++i) {
      const int speed = tree_.speed[at(i)];
      int body = tree_.body[at(i)];
      const Composite& c = composite_[at(body)];
      const Vec3& b_w = ws.Hw[at(speed)];
      const Vec3& b_v = ws.Hv[at(speed)];
      h[i] = ws.tau[speed] + dot(b_w, c.n) + dot(b_v, c.f);  // h_k = tau_k + b_k^T Qc_k
      Vec3 y_n = c.J * b_w + cross(c.mc, b_v);               // y = Mc_k b_k, at the body in turn
      const Vec3 y_f = c.mass * b_v + cross(b_w, c.mc);
      for (int j = i; j >= 0; j = tree_.parent[at(j)]) {
        while (body != tree_.body[at(j)]) {
          y_n += cross(ws.motion[at(body)].r, y_f);
          body = model.body(body).parent;
        }
        const auto s = at(tree_.speed[at(j)]);
        M(i, j) = dot(ws.Hw[s], y_n) + dot(ws.Hv[s], y_f);  // M_jk = b_j^T y
      }
      M(i, i) += ws.armature[speed];
    }
  }

  DofTree tree_;
  std::vector<Composite> composite_;
};

}  // namespace

constinit const DynamicsKind kSemiRecursive2{
    "semi_recursive_2", "joint-space inertia from composite bodies (003 sec. 4)", accept_all,
    [](const Model& model) -> std::unique_ptr<Dynamics> {
      return std::make_unique<JointSpaceDynamics>(kSemiRecursive2.name, model, std::make_unique<SemiRecursive2>(model));
    }};

}  // namespace kinloop::formulations
