// Sums all forces: each element adds a wrench at the reference points of its bodies, or a force along a speed.
#include "core/forces/loads.hpp"

#include "core/base/at.hpp"
#include "core/forces/force_element.hpp"

namespace kinloop {

void add_forces(const Model& model, const double* q, const double* v, const Loads& loads, Workspace& ws) noexcept {
  ws.tau = loads.tau;
  for (const ForceElementKind* kind : force_element_kinds()) kind->add_forces(model, q, v, ws);
  for (const ExternalWrench& wrench : loads.wrenches) {
    const auto k = at(wrench.body);
    const Pose& frame = model.body_frame(wrench.body);
    const Vec3 arm = ws.motion[k].R * Vec3(Vector3(frame.p + frame.R * wrench.point));
    const Vec3 force(wrench.force);
    ws.load[k].n += Vec3(wrench.moment) + cross(arm, force);
    ws.load[k].f += force;
  }
}

double spring_energy(const Model& model, const double* q, const Workspace& ws) noexcept {
  double energy_J = 0.0;
  for (const ForceElementKind* kind : force_element_kinds()) kind->add_energy(model, q, ws, energy_J);
  return energy_J;
}

}  // namespace kinloop
