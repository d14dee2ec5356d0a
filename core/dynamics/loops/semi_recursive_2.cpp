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
#include <memory>
#include <utility>
#include <vector>

#include "core/base/at.hpp"
#include "core/dynamics/formulations.hpp"
#include "core/dynamics/loops/joint_space_dynamics.hpp"
#include "core/dynamics/planar_form.hpp"
#include "core/dynamics/planar_inertia.hpp"
#include "core/kinematics/composite_inertia.hpp"

namespace kinloop::formulations {
namespace {

/// A rigid composite and its load: ten numbers of inertia and six of load, or four and three in a plane.
template <class Algebra>
struct Composite;

template <>
struct Composite<SpatialAlgebra> : CompositeInertia {
  Composite() = default;
  Composite(const Model& model, const SpatialView& view, int body)
      : CompositeInertia(kinloop::body_inertia(model, view.workspace(), body)), load(view.load(body)) {}

  /// Takes in what lies beyond it, whose point is r further.
  void add_beyond(const Composite& c, const Vec3& r) noexcept {
    const ParallelAxisTerms more = parallel_axis(c, r);
    J = J + c.J + (diagonal3(more.trace) - more.products);
    mc = mc + c.mc + c.mass * r;
    mass += c.mass;
    load = {load.angular + c.load.angular + cross(r, c.load.linear), load.linear + c.load.linear};
  }
  SpatialVector times(const SpatialVector& b) const noexcept {
    return {J * b.angular + cross(mc, b.linear), mass * b.linear + cross(b.angular, mc)};
  }

  SpatialVector load;
};

template <>
struct Composite<PlanarAlgebra> {
  Composite() = default;
  Composite(const Model& model, const PlanarView& view, int body)
      : J(view.plane().inertia(body)),
        mass(model.body(body).mass),
        mc(view.plane().arm(view.workspace().load[at(body)].mc).turned),
        load(view.load(body)) {}

  void add_beyond(const Composite& c, const PlanarArm& r) noexcept {
    const Vec3 moved = fused(c.mass, r.turned, c.mc);
    J += c.J + dot(r.turned, c.mc + moved);
    mc += moved;
    mass += c.mass;
    load = load + shift_force(c.load, r);
  }
  PlanarVector times(const PlanarVector& b) const noexcept { return planar::rigid(J, mass, mc) * b; }

  double J = 0.0, mass = 0.0;
  Vec3 mc;  // [0; -m cy; m cx]
  PlanarVector load;
};

inline double product(const SpatialVector& a, const SpatialVector& b) noexcept {
  return dot(a.angular, b.angular) + dot(a.linear, b.linear);
}
inline double product(const PlanarVector& a, const PlanarVector& b) noexcept { return dot(a, b); }
/// start + a . b.
inline double product_on(double start, const SpatialVector& a, const SpatialVector& b) noexcept {
  return start + dot(a.angular, b.angular) + dot(a.linear, b.linear);
}
inline double product_on(double start, const PlanarVector& a, const PlanarVector& b) noexcept {
  return start + dot(a, b);
}

template <class Algebra>
class SemiRecursive2 final : public InertiaBuilder {
 public:
  explicit SemiRecursive2(const Model& model, typename Algebra::View view = typename Algebra::View())
      : view_(std::move(view)), tree_(model), composite_(at(model.body_count())) {}

  void build(const Model& model, const Workspace& ws, JointSpace& space) noexcept override {
    view_.look_at(ws);
    add_composites(model);
    project_inertia(model, ws, space.M(), space.h());
  }

 private:
  /// Mc_k and Qc_k.
  void add_composites(const Model& model) noexcept {
    for (int k = 1; k < model.body_count(); ++k) composite_[at(k)] = Composite<Algebra>(model, view_, k);
    for (int k = model.body_count() - 1; k > 0; --k) {  // leaves first: a body is whole before its parent takes it
      const int parent = model.body(k).parent;
      if (parent > 0) composite_[at(parent)].add_beyond(composite_[at(k)], view_.arm(k));
    }
  }

  void project_inertia(const Model& model, const Workspace& ws, MatrixX& M, VectorX& h) noexcept {
    for (int i = 0; i < tree_.size(); ++i) {
      const int speed = tree_.speed[at(i)];
      int body = tree_.body[at(i)];
      const Composite<Algebra>& c = composite_[at(body)];
      const auto b = view_.column(speed);
      h[i] = product_on(ws.tau[speed], b, c.load);  // h_k = tau_k + b_k^T Qc_k
      auto y = c.times(b);                          // y = Mc_k b_k, at the body in turn
      for (int j = i; j >= 0; j = tree_.parent[at(j)]) {
        while (body != tree_.body[at(j)]) {
          y = shift_force(y, view_.arm(body));
          body = model.body(body).parent;
        }
        M(i, j) = product(view_.column(tree_.speed[at(j)]), y);  // M_jk = b_j^T y
      }
      M(i, i) += ws.armature[speed];
    }
  }

  typename Algebra::View view_;
  DofTree tree_;
  std::vector<Composite<Algebra>> composite_;
};

template <class Algebra>
std::unique_ptr<Dynamics> make_semi_recursive_2(const Model& model, typename Algebra::View view) {
  return std::make_unique<JointSpaceDynamics>(kSemiRecursive2.name, model,
                                              std::make_unique<SemiRecursive2<Algebra>>(model, std::move(view)));
}

}  // namespace

constinit const DynamicsKind kSemiRecursive2{
    "semi_recursive_2", "joint-space inertia from composite bodies (003 sec. 4)", accept_all,
    [](const Model& model) -> std::unique_ptr<Dynamics> {
      if (auto plane = find_motion_plane(model)) {
        return make_semi_recursive_2<PlanarAlgebra>(model, PlanarView(std::move(*plane)));
      }
      return make_spatial_semi_recursive_2(model);
    }};

std::unique_ptr<Dynamics> make_spatial_semi_recursive_2(const Model& model) {
  return make_semi_recursive_2<SpatialAlgebra>(model, SpatialView());
}

}  // namespace kinloop::formulations
