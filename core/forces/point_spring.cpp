// Implements the point-to-point spring.
#include "core/forces/point_spring.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/at.hpp"
#include "core/forces/force_element.hpp"
#include "core/forces/force_tangent.hpp"

namespace kinloop {
namespace {

struct SpringLine {
  Vec3 arm_a, arm_b;  // from the reference points, world axes
  Vec3 a_to_b;
  double length;
};

SpringLine line_between(const PointSpring& spring, const Workspace& ws) noexcept {
  const BodyMotion& a = ws.motion[at(spring.body_a)];
  const BodyMotion& b = ws.motion[at(spring.body_b)];
  SpringLine line;
  line.arm_a = a.R * spring.point_a;
  line.arm_b = b.R * spring.point_b;
  line.a_to_b = (b.x - a.x) + (line.arm_b - line.arm_a);
  line.length = std::sqrt(dot(line.a_to_b, line.a_to_b));
  return line;
}

double tension_along(const PointSpring& spring, const SpringLine& line, const Vec3& direction,
                     const Workspace& ws) noexcept {
  const BodyMotion& a = ws.motion[at(spring.body_a)];
  const BodyMotion& b = ws.motion[at(spring.body_b)];
  const Vec3 velocity = (b.v + cross(b.w, line.arm_b)) - (a.v + cross(a.w, line.arm_a));
  return spring.stiffness * (line.length - spring.rest_length) + spring.damping * dot(direction, velocity) +
         spring.force;
}

}  // namespace

void add_point_spring(const PointSpring& spring, Workspace& ws) noexcept {
  const SpringLine line = line_between(spring, ws);
  if (!(line.length > 0.0)) return;
  const Vec3 direction = (1.0 / line.length) * line.a_to_b;
  const Vec3 force = tension_along(spring, line, direction, ws) * direction;  // on a, towards b
  BodyLoad& load_a = ws.load[at(spring.body_a)];
  BodyLoad& load_b = ws.load[at(spring.body_b)];
  load_a.f += force;
  load_a.n += cross(line.arm_a, force);
  load_b.f -= force;
  load_b.n -= cross(line.arm_b, force);
}

double point_spring_tension(const PointSpring& spring, const Workspace& ws) noexcept {
  const SpringLine line = line_between(spring, ws);
  if (!(line.length > 0.0)) return 0.0;
  return tension_along(spring, line, (1.0 / line.length) * line.a_to_b, ws);
}

ElementTangent point_spring_tangent(const PointSpring& spring, const Workspace& ws) noexcept {
  const SpringLine line = line_between(spring, ws);
  ElementTangent tangent;
  tangent.body_a = spring.body_a;
  tangent.body_b = spring.body_b;
  tangent.arm_a = line.arm_a;
  tangent.arm_b = line.arm_b;
  if (!(line.length > 0.0)) return tangent;
  const Vector3 direction = line.a_to_b.eigen() / line.length;
  const Matrix3 along = direction * direction.transpose();
  const double tension = spring.stiffness * (line.length - spring.rest_length) + spring.force;
  tangent.stiffness = std::max(spring.stiffness, 0.0) * along;
  tangent.stiffness += std::max(tension, 0.0) / line.length * (Matrix3::Identity() - along);
  tangent.damping = spring.damping * along;
  return tangent;
}

double point_spring_energy(const PointSpring& spring, const Workspace& ws) noexcept {
  const double length = line_between(spring, ws).length;
  const double stretch = length - spring.rest_length;
  return 0.5 * spring.stiffness * stretch * stretch + spring.force * length;
}

constinit const ForceElementKind force_elements::kPointSpring = {
    [](const Model& model) noexcept { return model.springs().size(); },
    [](const Model& model, const double* /*q*/, const double* /*v*/, Workspace& ws) noexcept {
      for (const PointSpring& spring : model.springs()) add_point_spring(spring, ws);
    },
    [](const Model& model, const double* /*q*/, const Workspace& ws, double& energy_J) noexcept {
      for (const PointSpring& spring : model.springs()) energy_J += point_spring_energy(spring, ws);
    },
    [](const Model& model, const double* /*q*/, const double* /*v*/, const Workspace& ws, ForceTangent& sum) noexcept {
      for (const PointSpring& spring : model.springs()) sum.add(model, point_spring_tangent(spring, ws), ws);
    },
    nullptr};

}  // namespace kinloop
