// Adds bodies up from the leaves, each composite about the joint point of its innermost body.
#include "core/model/locked_inertia.hpp"

#include <Eigen/Geometry>
#include <vector>

#include "core/base/at.hpp"

namespace kinloop {
namespace {

/// A body and all beyond it, about the joint point x, world axes. Not the CompositeInertia of the sweeps: that one
/// rounds its sums in another order, and end stops take the bits of their defaults from here.
struct Composite {
  double mass = 0.0;
  Vector3 first_moment = Vector3::Zero();
  Matrix3 inertia = Matrix3::Zero();
};

/// The same about the point x - r.
Composite shifted(const Composite& c, const Vector3& r) {
  const Matrix3 S = skew(r);
  const Matrix3 C = skew(c.first_moment);
  return {c.mass, c.first_moment + c.mass * r, c.inertia - S * C - C * S - c.mass * S * S};
}

}  // namespace

VectorX locked_inertias(const Model& model) {
  const auto n = at(model.body_count());
  std::vector<Pose> X_W(n);  // of reference frames
  std::vector<Matrix3> R_WA(n);
  std::vector<JointMotion> motion(n);
  std::vector<Composite> composite(n);
  const VectorX v = VectorX::Zero(model.nv());
  for (int k = 1; k < model.body_count(); ++k) {
    const auto i = at(k);
    const BodyConstants& body = model.body(k);
    body.evaluate(model.joint_parameters(k), model.initial_q().data() + body.q, v.data() + body.v, motion[i]);
    const Pose X_WA = X_W[at(body.parent)] * Pose{body.R_PA.eigen(), body.p_PA.eigen()};
    X_W[i] = X_WA * Pose{motion[i].R.eigen(), motion[i].p.eigen()};
    R_WA[i] = X_WA.R;
    const Matrix3& R = X_W[i].R;
    composite[i] = {body.mass, R * body.first_moment.eigen(), R * body.inertia.eigen() * R.transpose()};
  }

  VectorX result(model.nv());
  for (int k = model.body_count() - 1; k > 0; --k) {
    const auto i = at(k);
    const BodyConstants& body = model.body(k);
    const Composite& c = composite[i];
    for (int column = 0; column < body.nv; ++column) {
      const Vector3 w = R_WA[i] * motion[i].Hw[at(column)].eigen();
      const Vector3 u = R_WA[i] * motion[i].Hv[at(column)].eigen();
      result[body.v + column] = w.dot(c.inertia * w) + 2.0 * u.dot(skew(w) * c.first_moment) + c.mass * u.dot(u) +
                                model.coordinate(body.v + column).armature;
    }
    const auto p = at(body.parent);
    const Composite moved = shifted(c, X_W[i].p - X_W[p].p);
    composite[p].mass += moved.mass;
    composite[p].first_moment += moved.first_moment;
    composite[p].inertia += moved.inertia;
  }
  return result;
}

}  // namespace kinloop
