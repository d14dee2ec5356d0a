// The sum over the kinds of force elements.
#include "core/forces/dissipation.hpp"

#include "core/base/at.hpp"
#include "core/forces/force_element.hpp"

namespace kinloop {

Vec3 point_velocity(const Workspace& ws, int body, const Vec3& arm) noexcept {
  const BodyMotion& motion = ws.motion[at(body)];
  return motion.v + cross(motion.w, arm);
}

double damper_W(const ElementTangent& element, const Workspace& ws) noexcept {
  const Vec3 v = point_velocity(ws, element.body_b, element.arm_b) - point_velocity(ws, element.body_a, element.arm_a);
  const Vec3 w = ws.motion[at(element.body_b)].w - ws.motion[at(element.body_a)].w;
  return dot(v, element.damping * v, w, element.rotational_damping * w);
}

Dissipation dissipation(const Model& model, const double* q, const double* v, const Workspace& ws) noexcept {
  Dissipation sum;
  for (const ForceElementKind* kind : force_element_kinds()) kind->add_losses(model, q, v, ws, sum);
  return sum;
}

}  // namespace kinloop
