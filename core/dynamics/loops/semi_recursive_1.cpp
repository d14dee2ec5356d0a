// Semi-recursive method I: a velocity matrix V_i per body, paper 003 §3 and 6.1; docs/theory/semi-recursive.md §1.
//
//   paper            here
//   V_i              columns_[begin_[i] ...]: one column per node on the path from the ground to body i, at x_i
//   M_i, Q_i         ws.load
//   M, h             M = sum V_i^T M_i V_i,  h = tau + sum V_i^T Q_i
//
// The term Vdot zdot is A_t, which the loads already contain. Costs O(n depth^2): the reference, not the fast one.
#include <vector>

#include "core/base/at.hpp"
#include "core/dynamics/formulations.hpp"
#include "core/dynamics/loops/joint_space_dynamics.hpp"

namespace kinloop::formulations {
namespace {

class SemiRecursive1 final : public InertiaBuilder {
 public:
  explicit SemiRecursive1(const Model& model) : tree_(model) {
    begin_.push_back(0);
    begin_.push_back(0);
    for (int k = 1; k < model.body_count(); ++k) {
      int depth = 0;
      for (int j = tree_.last[at(k)]; j >= 0; j = up(j)) ++depth;
      begin_.push_back(begin_.back() + depth);
    }
    columns_.resize(at(begin_.back()));
  }

  void build(const Model& model, const Workspace& ws, JointSpace& space) noexcept override {
    MatrixX& M = space.M();
    VectorX& h = space.h();
    for (int i = 0; i < tree_.size(); ++i) {
      for (int j = i; j >= 0; j = up(j)) M(i, j) = 0.0;
      const int speed = tree_.speed[at(i)];
      M(i, i) = ws.armature[speed];
      h[i] = ws.tau[speed];
    }
    for (int k = 1; k < model.body_count(); ++k) {
      update_columns(model, k, ws);
      add_body(model, k, ws, M, h);
    }
  }

 private:
  int up(int node) const noexcept { return tree_.parent[at(node)]; }
  SpatialVector* columns_of(int k) noexcept { return columns_.data() + begin_[at(k)]; }
  int depth_of(int k) const noexcept { return begin_[at(k + 1)] - begin_[at(k)]; }

  /// V_i = X(x_i - x_p) V_p, then the joint's own columns. Columns stand in the order of the path, ground first.
  void update_columns(const Model& model, int k, const Workspace& ws) noexcept {
    const BodyConstants& body = model.body(k);
    const Vec3& r = ws.motion[at(k)].r;
    const SpatialVector* parent = columns_of(body.parent);
    SpatialVector* own = columns_of(k);
    const int inherited = body.parent > 0 ? depth_of(body.parent) : 0;
    for (int c = 0; c < inherited; ++c) {
      own[c] = {parent[c].angular, parent[c].linear + cross(parent[c].angular, r)};
    }
    int c = inherited;
    for (int i = body.v; i < body.v + body.nv; ++i) {
      if (model.coordinate(i).motion >= 0) continue;
      own[c++] = {ws.Hw[at(i)], ws.Hv[at(i)]};
    }
  }

  /// M += V_i^T M_i V_i, h += V_i^T Q_i.
  void add_body(const Model& model, int k, const Workspace& ws, MatrixX& M, VectorX& h) noexcept {
    const BodyLoad& load = ws.load[at(k)];
    const double mass = model.body(k).mass;
    const SpatialVector* V = columns_of(k);
    int c = depth_of(k) - 1;
    for (int i = tree_.last[at(k)]; i >= 0; i = up(i), --c) {
      const Vec3 y_n = load.J * V[c].angular + cross(load.mc, V[c].linear);
      const Vec3 y_f = mass * V[c].linear + cross(V[c].angular, load.mc);
      int b = c;
      for (int j = i; j >= 0; j = up(j), --b) M(i, j) += dot(V[b].angular, y_n) + dot(V[b].linear, y_f);
      h[i] += dot(V[c].angular, load.n) + dot(V[c].linear, load.f);
    }
  }

  DofTree tree_;
  std::vector<int> begin_;
  std::vector<SpatialVector> columns_;
};

}  // namespace

constinit const DynamicsKind kSemiRecursive1{
    "semi_recursive_1", "joint-space inertia from a velocity matrix per body (003 sec. 3)", accept_all,
    [](const Model& model) -> std::unique_ptr<Dynamics> {
      return std::make_unique<JointSpaceDynamics>(kSemiRecursive1.name, model, std::make_unique<SemiRecursive1>(model));
    }};

}  // namespace kinloop::formulations
