// Implements the contact. Body a is that of the plane, b that of the point.
#include "core/forces/contact.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/at.hpp"
#include "core/forces/contact_law.hpp"
#include "core/forces/force_element.hpp"
#include "core/forces/force_slopes.hpp"
#include "core/forces/point_pair.hpp"
#include "core/forces/tangent_sum.hpp"

namespace kinloop {
namespace {

const Plane& plane_of(const Model& model, const ContactPoint& point) noexcept {
  return model.planes()[at(point.plane)];
}

/// The deepest point, from the reference points of both bodies; world axes.
struct Place {
  Vec3 normal;
  Vec3 arm_a, arm_b;
  double depth_m;
};

Place place_of(const Plane& plane, const ContactPoint& point, const Workspace& ws) noexcept {
  const BodyMotion& a = ws.motion[at(plane.body)];
  const BodyMotion& b = ws.motion[at(point.body)];
  Place place;
  place.normal = a.R * plane.normal;
  place.arm_b = b.R * point.centre - point.radius * place.normal;
  place.arm_a = (b.x - a.x) + place.arm_b;
  place.depth_m = dot(place.normal, a.R * plane.point - place.arm_a);
  return place;
}

/// How the point moves relative to the plane, and what the plane makes of it.
struct Encounter {
  Vec3 opposed;  // the part of the velocity that the drag opposes
  PlaneForce force;
};

Encounter encounter(const Plane& plane, const ContactPoint& point, const Place& place, const Workspace& ws) noexcept {
  const BodyMotion& a = ws.motion[at(plane.body)];
  const BodyMotion& b = ws.motion[at(point.body)];
  const Vec3 velocity = (b.v + cross(b.w, place.arm_b)) - (a.v + cross(a.w, place.arm_a));
  const double rate_m_s = -dot(place.normal, velocity);
  Encounter result;
  result.opposed = plane.kind == PlaneKind::kSoil ? velocity : velocity + rate_m_s * place.normal;
  const double speed_m_s = std::sqrt(dot(result.opposed, result.opposed));
  result.force = plane_force(plane, place.depth_m, rate_m_s, speed_m_s);
  return result;
}

Vec3 force_on_point(const Plane& plane, const ContactPoint& point, const Place& place, const Workspace& ws) noexcept {
  const Encounter met = encounter(plane, point, place, ws);
  return met.force.push.force_N * place.normal - met.force.drag * met.opposed;
}

/// The bodies and points, nothing between them yet.
ElementTangent tangent_between(const Plane& plane, const ContactPoint& point, const Place& place) noexcept {
  ElementTangent tangent;
  tangent.body_a = plane.body;
  tangent.body_b = point.body;
  tangent.arm_a = place.arm_a;
  tangent.arm_b = place.arm_b;
  return tangent;
}

/// As if it touched, along the normal, with friction under the weight of its body.
ElementTangent full_tangent(const Model& model, const ContactPoint& point, const Workspace& ws) noexcept {
  const Plane& plane = plane_of(model, point);
  const Place place = place_of(plane, point, ws);
  ElementTangent tangent = tangent_between(plane, point, place);
  tangent.stiffness = scaled(plane.stiffness, outer(place.normal, place.normal));
  const double grip_N = plane.kind == PlaneKind::kSoil
                            ? plane.max_force
                            : plane.friction * model.body(point.body).mass * model.gravity().norm();
  tangent.damping = diagonal3(grip_N / plane.friction_speed);
  return tangent;
}

}  // namespace

Touch touch_of(const Model& model, const ContactPoint& point, const Workspace& ws) noexcept {
  const Plane& plane = plane_of(model, point);
  const Place place = place_of(plane, point, ws);
  Touch touch;
  touch.depth_m = place.depth_m;
  touch.point = (ws.motion[at(point.body)].x + place.arm_b).eigen();
  if (place.depth_m > 0.0) touch.force = force_on_point(plane, point, place, ws).eigen();
  return touch;
}

Vector3 contact_force(const Model& model, int contact, const Workspace& ws) noexcept {
  Vector3 sum = Vector3::Zero();
  for (const ContactPoint& point : model.contact_points()) {
    if (point.contact == contact) sum += touch_of(model, point, ws).force;
  }
  return sum;
}

bool touches(const Model& model, const ContactPoint& point, const Workspace& ws) noexcept {
  return place_of(plane_of(model, point), point, ws).depth_m > 0.0;
}

void add_contact(const Model& model, const ContactPoint& point, Workspace& ws) noexcept {
  const Plane& plane = plane_of(model, point);
  const Place place = place_of(plane, point, ws);
  if (!(place.depth_m > 0.0)) return;
  const Vec3 force = force_on_point(plane, point, place, ws);
  add_force_pair(point.body, place.arm_b, plane.body, place.arm_a, force, ws);
}

ElementTangent contact_tangent(const Model& model, const ContactPoint& point, const Workspace& ws) noexcept {
  const Plane& plane = plane_of(model, point);
  const Place place = place_of(plane, point, ws);
  ElementTangent tangent = tangent_between(plane, point, place);
  if (!(place.depth_m > 0.0)) return tangent;
  const PlaneForce force = encounter(plane, point, place, ws).force;
  const Mat3 along = outer(place.normal, place.normal);
  tangent.stiffness = scaled(force.push.stiffness, along);
  tangent.damping = scaled(force.push.damping, along) + diagonal3(force.drag);
  if (plane.kind == PlaneKind::kFirm) tangent.damping = tangent.damping - scaled(force.drag, along);
  return tangent;
}

PairSlope contact_slope(const Model& model, const ContactPoint& point, const Workspace& ws) noexcept {
  const Plane& plane = plane_of(model, point);
  const Place place = place_of(plane, point, ws);
  PairSlope slope;
  slope.body_a = plane.body;
  slope.body_b = point.body;
  slope.arm_b = place.arm_b;
  slope.lever = point.radius * place.normal;  // to the centre, which goes where the deepest point goes
  if (!(place.depth_m > 0.0)) return slope;
  const Encounter met = encounter(plane, point, place, ws);
  const Vec3& n = place.normal;
  const double speed_m_s = std::sqrt(dot(met.opposed, met.opposed));
  const BodyMotion& a = ws.motion[at(plane.body)];
  const BodyMotion& b = ws.motion[at(point.body)];
  const Vec3 velocity = (b.v + cross(b.w, place.arm_b)) - (a.v + cross(a.w, place.arm_a));
  const PlaneSlope law = plane_slope(plane, place.depth_m, -dot(n, velocity), speed_m_s);
  slope.force = met.force.push.force_N * n - met.force.drag * met.opposed;
  // Depth goes by -n . e, its rate by -n . du; the opposed velocity by `opposing` du, its size along itself.
  const Mat3 along = outer(n, n);
  const Mat3 opposing = plane.kind == PlaneKind::kSoil ? identity3() : identity3() - along;
  const Vec3 speed_by_rate = speed_m_s > 0.0 ? (1.0 / speed_m_s) * (opposing * met.opposed) : Vec3();
  const Vec3 drag_by_rate = law.drag_by_speed * speed_by_rate - law.drag_by_rate * n;
  slope.force_by_rate =
      scaled(-law.push_by_rate, along) - scaled(met.force.drag, opposing) - outer(met.opposed, drag_by_rate);
  const Mat3 by_depth = scaled(-law.push_by_depth, along) + outer(law.drag_by_depth * met.opposed, n);
  // Both bodies are asked for the velocity where the point is.
  slope.force_by_place = by_depth + slope.force_by_rate * skew(b.w - a.w);
  return slope;
}

double contact_energy(const Model& model, const ContactPoint& point, const Workspace& ws) noexcept {
  const Plane& plane = plane_of(model, point);
  return plane_energy(plane, place_of(plane, point, ws).depth_m);
}

namespace {

void add_contact_losses(const Model& model, const ContactPoint& point, const Workspace& ws, Dissipation& sum) noexcept {
  const Touch touch = touch_of(model, point, ws);
  if (!(touch.depth_m > 0.0)) return;
  const Plane& plane = plane_of(model, point);
  const BodyMotion& a = ws.motion[at(plane.body)];
  const BodyMotion& b = ws.motion[at(point.body)];
  const Vec3 place(touch.point);
  const Vector3 v = (point_velocity(ws, point.body, place - b.x) - point_velocity(ws, plane.body, place - a.x)).eigen();
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

constinit const ForceElementKind force_elements::kContact = {
    [](const Model& model) noexcept { return model.contact_points().size(); },
    [](const Model& model, std::vector<int>& bodies) {
      for (const ContactPoint& point : model.contact_points()) {
        bodies.insert(bodies.end(), {point.body, model.planes()[at(point.plane)].body});
      }
    },
    [](const Model& model, const double* /*q*/, const double* /*v*/, Workspace& ws) noexcept {
      for (const ContactPoint& point : model.contact_points()) add_contact(model, point, ws);
    },
    [](const Model& model, const double* /*q*/, const Workspace& ws, double& energy_J) noexcept {
      for (const ContactPoint& point : model.contact_points()) energy_J += contact_energy(model, point, ws);
    },
    [](const Model& model, const double* /*q*/, const double* /*v*/, const Workspace& ws, TangentSum& sum) noexcept {
      for (const ContactPoint& point : model.contact_points()) sum.add(model, contact_tangent(model, point, ws), ws);
    },
    [](const Model& model, const double* /*q*/, const double* /*v*/, const Workspace& ws, ForceSlopes& sum) noexcept {
      for (const ContactPoint& point : model.contact_points()) {
        if (touches(model, point, ws)) sum.add(contact_slope(model, point, ws));
      }
    },
    [](const Model& model, const double* /*q*/, const double* /*v*/, const Workspace& ws, Dissipation& sum) noexcept {
      for (const ContactPoint& point : model.contact_points()) add_contact_losses(model, point, ws, sum);
    },
    nullptr,
    {[](const Model& model, const double* /*q*/, const double* /*v*/, const Workspace& ws, char* acts) noexcept {
       for (const ContactPoint& point : model.contact_points()) *acts++ = touches(model, point, ws) ? 1 : 0;
     },
     true,
     [](const Model& model, const double* /*q*/, const double* /*v*/, const Workspace& ws, TangentSum& sum) {
       for (const ContactPoint& point : model.contact_points()) sum.add(model, full_tangent(model, point, ws), ws);
     }}};

}  // namespace kinloop
