// Energy, momentum and mass as sums over the bodies.
#include "core/dynamics/energy.hpp"

#include "core/base/at.hpp"
#include "core/forces/loads.hpp"

namespace kinloop {

Energy energy(const Model& model, const double* q, const double* v, const Workspace& ws) noexcept {
  Energy sum;
  const Vec3 g(model.gravity());
  for (int k = 1; k < model.body_count(); ++k) {
    const double mass = model.body(k).mass;
    const BodyMotion& m = ws.motion[at(k)];
    const BodyLoad& load = ws.load[at(k)];
    sum.kinetic_J += 0.5 * (dot(m.w, load.J * m.w) + mass * dot(m.v, m.v)) + dot(m.v, cross(m.w, load.mc));
    sum.potential_J -= dot(g, mass * m.x + load.mc);
  }
  for (int i = 0; i < model.nv(); ++i) sum.kinetic_J += 0.5 * model.coordinate(i).armature * v[i] * v[i];
  sum.potential_J += spring_energy(model, q, ws);
  return sum;
}

Momentum momentum(const Model& model, const Workspace& ws) noexcept {
  Vec3 linear;
  Vec3 angular;
  for (int k = 1; k < model.body_count(); ++k) {
    const BodyMotion& m = ws.motion[at(k)];
    const BodyLoad& load = ws.load[at(k)];
    const Vec3 p = model.body(k).mass * m.v + cross(m.w, load.mc);
    linear += p;
    angular += load.J * m.w + cross(load.mc, m.v) + cross(m.x, p);
  }
  return {linear.eigen(), angular.eigen()};
}

MassCentre mass_centre(const Model& model, const Workspace& ws) noexcept {
  MassCentre sum;
  Vec3 moment;
  for (int k = 1; k < model.body_count(); ++k) {
    const double mass = model.body(k).mass;
    sum.mass_kg += mass;
    moment += mass * ws.motion[at(k)].x + ws.load[at(k)].mc;
  }
  if (sum.mass_kg > 0.0) sum.position = moment.eigen() / sum.mass_kg;
  return sum;
}

}  // namespace kinloop
