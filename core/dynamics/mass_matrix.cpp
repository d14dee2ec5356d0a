// Composite inertias, leaves to ground, then each column's wrench carried down to the ground.
#include "core/dynamics/mass_matrix.hpp"

#include "core/base/at.hpp"

namespace kinloop {
namespace {

/// Moves an inertia from x_k to the parent's x = x_k - r (Steiner, twice) and adds it there.
void add_shifted(const CompositeInertia& h, const Vec3& r, CompositeInertia& parent) noexcept {
  const CompositeInertia moved = shifted(h, r);
  parent.J = parent.J + moved.J;
  parent.mc += moved.mc;
  parent.mass += moved.mass;
}

}  // namespace

void mass_matrix(const Model& model, const Workspace& ws, std::vector<CompositeInertia>& composite,
                 MatrixX& M) noexcept {
  M.setZero();
  for (int k = 1; k < model.body_count(); ++k) composite[at(k)] = body_inertia(model, ws, k);
  for (int k = model.body_count() - 1; k > 0; --k) {
    const auto b = at(k);
    const BodyConstants& body = model.body(k);
    const CompositeInertia& h = composite[b];
    if (body.parent > 0) add_shifted(h, ws.motion[b].r, composite[at(body.parent)]);
    for (int i = body.v; i < body.v + body.nv; ++i) {
      const auto s = at(i);
      Vec3 n = h.J * ws.Hw[s] + cross(h.mc, ws.Hv[s]);
      const Vec3 f = h.mass * ws.Hv[s] + cross(ws.Hw[s], h.mc);
      for (int a = k; a > 0; a = model.body(a).parent) {
        const BodyConstants& ancestor = model.body(a);
        for (int j = ancestor.v; j < ancestor.v + ancestor.nv; ++j) {
          const auto t = at(j);
          M(i, j) = M(j, i) = dot(ws.Hw[t], n) + dot(ws.Hv[t], f);
        }
        n += cross(ws.motion[at(a)].r, f);
      }
      M(i, i) += ws.armature[i];
    }
  }
}

void sum_loads(const Model& model, const Workspace& ws, std::vector<SpatialVector>& wrench, VectorX& force) noexcept {
  for (std::size_t b = 1; b < wrench.size(); ++b) wrench[b] = {ws.load[b].n, ws.load[b].f};
  for (int k = model.body_count() - 1; k > 0; --k) {
    const auto b = at(k);
    const BodyConstants& body = model.body(k);
    for (int i = body.v; i < body.v + body.nv; ++i) {
      const auto s = at(i);
      force[i] = dot(SpatialVector{ws.Hw[s], ws.Hv[s]}, wrench[b]);
    }
    SpatialVector& parent = wrench[at(body.parent)];
    parent = parent + shift_force(wrench[b], ws.motion[b].r);
  }
}

void mass_matrix(const Model& model, const Workspace& ws, MatrixX& M) {
  std::vector<CompositeInertia> composite(at(model.body_count()));
  M.resize(model.nv(), model.nv());
  mass_matrix(model, ws, composite, M);
}

}  // namespace kinloop
