// Force times velocity, less what the potential takes: - F . v - dE/dt.
#include "core/forces/dissipation.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/at.hpp"
#include "core/forces/bushing.hpp"
#include "core/forces/contact.hpp"
#include "core/forces/joint_forces.hpp"
#include "core/forces/point_spring.hpp"
#include "core/forces/rope.hpp"

namespace kinloop {
namespace {

Vec3 velocity_at(const Workspace& ws, int body, const Vec3& arm) noexcept {
  const BodyMotion& motion = ws.motion[at(body)];
  return motion.v + cross(motion.w, arm);
}

/// Of a linear damper between two bodies.
double damper_W(const ElementTangent& element, const Workspace& ws) noexcept {
  const Vec3 v = velocity_at(ws, element.body_b, element.arm_b) - velocity_at(ws, element.body_a, element.arm_a);
  const Vec3 w = ws.motion[at(element.body_b)].w - ws.motion[at(element.body_a)].w;
  return dot(v, element.damping * v, w, element.rotational_damping * w);
}

void add_joint(const CoordinateConstants& c, double q, double u, Dissipation& sum) noexcept {
  sum.dampers += c.damping * u * u;
  if (c.dry_friction != 0.0) sum.friction += c.dry_friction * std::tanh(u / c.friction_speed) * u;
  if (!c.limited) return;
  const double depth = q - std::clamp(q, c.lower, c.upper);
  const double push = stop_pushes(c, q, u) ? c.limit_stiffness * depth + c.limit_damping * u : 0.0;
  sum.stops += (push - c.limit_stiffness * depth) * u;
}

void add_contact_losses(const Model& model, const ContactPoint& point, const Workspace& ws, Dissipation& sum) noexcept {
  const Touch touch = touch_of(model, point, ws);
  if (!(touch.depth_m > 0.0)) return;
  const Plane& plane = model.planes()[at(point.plane)];
  const BodyMotion& a = ws.motion[at(plane.body)];
  const BodyMotion& b = ws.motion[at(point.body)];
  const Vec3 place(touch.point);
  const Vector3 v = (velocity_at(ws, point.body, place - b.x) - velocity_at(ws, plane.body, place - a.x)).eigen();
  const Vector3 normal = (a.R * plane.normal).eigen();
  const double rate_m_s = -normal.dot(v);
  const double growing_m = plane.kind == PlaneKind::kSoil
                               ? std::min(touch.depth_m, plane.max_force / (plane.stiffness + plane.digging))
                               : touch.depth_m;
  const double taken_W = -touch.force.dot(v);
  const double stored_W = plane.stiffness * growing_m * rate_m_s;
  // The push acts along the normal, all drag against the motion that it opposes.
  const Vector3 across = v - v.dot(normal) * normal;
  const double drag_across_W = -touch.force.dot(across);
  if (plane.kind == PlaneKind::kSoil) {
    sum.friction += taken_W - stored_W;
  } else {
    sum.friction += drag_across_W;
    sum.contacts += taken_W - drag_across_W - stored_W;
  }
}

}  // namespace

Dissipation dissipation(const Model& model, const double* q, const double* v, const Workspace& ws) noexcept {
  Dissipation sum;
  for (const int i : model.loaded_speeds()) {
    const CoordinateConstants& c = model.coordinate(i);
    add_joint(c, c.q >= 0 ? q[c.q] : 0.0, v[i], sum);
  }
  for (const PointSpring& spring : model.springs()) sum.dampers += damper_W(point_spring_tangent(spring, ws), ws);
  for (const Bushing& bushing : model.bushings()) sum.dampers += damper_W(bushing_tangent(bushing, ws), ws);
  for (const Rope& rope : model.ropes()) {
    const RopeState now = rope_state(rope, q, v, ws);
    const double stretch_m = std::max(0.0, now.length_m - now.rest_length_m);
    sum.ropes += (now.tension_N - rope.stiffness * stretch_m) * now.stretching_m_s;
  }
  for (const ContactPoint& point : model.contact_points()) add_contact_losses(model, point, ws, sum);
  return sum;
}

}  // namespace kinloop
