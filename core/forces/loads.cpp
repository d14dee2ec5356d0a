// Sums all forces: each element adds a wrench at the reference points of its bodies, or a force along a speed.
#include "core/forces/loads.hpp"

#include "core/forces/bushing.hpp"
#include "core/forces/contact.hpp"
#include "core/forces/joint_forces.hpp"
#include "core/forces/point_spring.hpp"
#include "core/forces/rope.hpp"

namespace kinloop {

void add_forces(const Model& model, const double* q, const double* v, const Loads& loads, Workspace& ws) noexcept {
  ws.tau = loads.tau;
  for (const int i : model.loaded_speeds()) {
    const CoordinateConstants& c = model.coordinate(i);
    ws.tau[i] += joint_force(c, c.q >= 0 ? q[c.q] : 0.0, v[i]);
  }
  for (const PointSpring& spring : model.springs()) add_point_spring(spring, ws);
  for (const Bushing& bushing : model.bushings()) add_bushing(bushing, ws);
  for (const Rope& rope : model.ropes()) add_rope(rope, q, v, ws);
  for (const ContactPoint& point : model.contact_points()) add_contact(model, point, ws);
  for (const ExternalWrench& wrench : loads.wrenches) {
    const auto k = static_cast<std::size_t>(wrench.body);
    const Pose& frame = model.body_frame(wrench.body);
    const Vec3 arm = ws.motion[k].R * Vec3(Vector3(frame.p + frame.R * wrench.point));
    const Vec3 force(wrench.force);
    ws.load[k].n += Vec3(wrench.moment) + cross(arm, force);
    ws.load[k].f += force;
  }
}

double spring_energy(const Model& model, const double* q, const Workspace& ws) noexcept {
  double energy = 0.0;
  for (const int i : model.loaded_speeds()) {
    const CoordinateConstants& c = model.coordinate(i);
    if (c.q >= 0) energy += joint_energy(c, q[c.q]);
  }
  for (const PointSpring& spring : model.springs()) energy += point_spring_energy(spring, ws);
  for (const Bushing& bushing : model.bushings()) energy += bushing_energy(bushing, ws);
  for (const Rope& rope : model.ropes()) energy += rope_energy(rope, q, ws);
  for (const ContactPoint& point : model.contact_points()) energy += contact_energy(model, point, ws);
  return energy;
}

}  // namespace kinloop
