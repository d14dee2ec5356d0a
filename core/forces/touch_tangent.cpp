// Contacts along their normals and with friction under the weight of their body, ropes along their lines.
#include "core/forces/touch_tangent.hpp"

#include "core/forces/contact.hpp"
#include "core/forces/rope.hpp"

namespace kinloop {

bool add_touch_tangents(const Model& model, const double* q, const double* v, const Workspace& ws, ForceTangent& sum) {
  for (const ContactPoint& point : model.contact_points()) {
    const Plane& plane = model.planes()[static_cast<std::size_t>(point.plane)];
    ElementTangent element = contact_tangent(model, point, ws);  // its points
    const Vector3 normal = (ws.motion[static_cast<std::size_t>(plane.body)].R * plane.normal).eigen();
    element.stiffness = plane.stiffness * normal * normal.transpose();
    const double grip_N = plane.kind == PlaneKind::kSoil
                              ? plane.max_force
                              : plane.friction * model.body(point.body).mass * model.gravity().norm();
    element.damping = grip_N / plane.friction_speed * Matrix3::Identity();
    sum.add(model, element, ws);
  }
  for (const Rope& rope : model.ropes()) {
    ElementTangent element = rope_tangent(rope, q, v, ws);
    const RopeState now = rope_state(rope, q, v, ws);
    if (!(now.length_m > 0.0)) continue;
    const Vector3 line = (now.point_b - now.point_a) / now.length_m;
    element.stiffness = rope.stiffness * line * line.transpose();
    sum.add(model, element, ws);
  }
  return !model.contact_points().empty() || !model.ropes().empty();
}

}  // namespace kinloop
