// Force of a spring and damper between two points, along the line that joins them.
#include "core/forces/point_spring.hpp"

#include <algorithm>

#include "core/forces/force_element.hpp"
#include "core/forces/force_slopes.hpp"
#include "core/forces/point_pair.hpp"
#include "core/forces/tangent_sum.hpp"

namespace kinloop {
namespace {

PointPair points_of(const PointSpring& spring, const Workspace& ws) noexcept {
  return point_pair(spring.body_a, spring.point_a, spring.body_b, spring.point_b, ws);
}

double tension_along(const PointSpring& spring, const PointPair& points, const Vec3& direction,
                     const Workspace& ws) noexcept {
  return spring.stiffness * (points.length_m - spring.rest_length) +
         spring.damping * dot(direction, relative_velocity(points, ws)) + spring.force;
}

}  // namespace

void add_point_spring(const PointSpring& spring, Workspace& ws) noexcept {
  const PointPair points = points_of(spring, ws);
  if (!(points.length_m > 0.0)) return;
  const Vec3 direction = (1.0 / points.length_m) * points.a_to_b;
  add_force_pair(points, tension_along(spring, points, direction, ws) * direction, ws);  // on a, towards b
}

double point_spring_tension(const PointSpring& spring, const Workspace& ws) noexcept {
  const PointPair points = points_of(spring, ws);
  if (!(points.length_m > 0.0)) return 0.0;
  return tension_along(spring, points, (1.0 / points.length_m) * points.a_to_b, ws);
}

ElementTangent point_spring_tangent(const PointSpring& spring, const Workspace& ws) noexcept {
  const PointPair points = points_of(spring, ws);
  ElementTangent tangent = tangent_at(points);
  if (!(points.length_m > 0.0)) return tangent;
  const Vec3 direction = (1.0 / points.length_m) * points.a_to_b;
  const Mat3 along = outer(direction, direction);
  const double tension = spring.stiffness * (points.length_m - spring.rest_length) + spring.force;
  tangent.stiffness = scaled(std::max(spring.stiffness, 0.0), along) +
                      scaled(std::max(tension, 0.0) / points.length_m, identity3() - along);
  tangent.damping = scaled(spring.damping, along);
  return tangent;
}

double point_spring_energy(const PointSpring& spring, const Workspace& ws) noexcept {
  const double length = points_of(spring, ws).length_m;
  const double stretch = length - spring.rest_length;
  return 0.5 * spring.stiffness * stretch * stretch + spring.force * length;
}

constinit const ForceElementKind force_elements::kPointSpring = {
    [](const Model& model) noexcept { return model.springs().size(); },
    [](const Model& model, std::vector<int>& bodies) {
      for (const PointSpring& spring : model.springs()) bodies.insert(bodies.end(), {spring.body_a, spring.body_b});
    },
    [](const Model& model, const double* /*q*/, const double* /*v*/, Workspace& ws) noexcept {
      for (const PointSpring& spring : model.springs()) add_point_spring(spring, ws);
    },
    [](const Model& model, const double* /*q*/, const Workspace& ws, double& energy_J) noexcept {
      for (const PointSpring& spring : model.springs()) energy_J += point_spring_energy(spring, ws);
    },
    [](const Model& model, const double* /*q*/, const double* /*v*/, const Workspace& ws, TangentSum& sum) noexcept {
      for (const PointSpring& spring : model.springs()) sum.add(model, point_spring_tangent(spring, ws), ws);
    },
    [](const Model& model, const double* /*q*/, const double* /*v*/, const Workspace& ws, ForceSlopes& sum) noexcept {
      for (const PointSpring& spring : model.springs()) {
        const PointPair points = points_of(spring, ws);
        if (!(points.length_m > 0.0)) continue;
        const Vec3 direction = (1.0 / points.length_m) * points.a_to_b;
        const double tension = tension_along(spring, points, direction, ws);
        sum.add(tension_slope(points, direction, tension, spring.stiffness, spring.damping, ws));
      }
    },
    [](const Model& model, const double* /*q*/, const double* /*v*/, const Workspace& ws, Dissipation& sum) noexcept {
      for (const PointSpring& spring : model.springs()) sum.dampers += damper_W(point_spring_tangent(spring, ws), ws);
    },
    nullptr};

}  // namespace kinloop
