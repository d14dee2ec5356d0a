// Implements the rope.
#include "core/forces/rope.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/at.hpp"
#include "core/forces/contact_law.hpp"
#include "core/forces/force_element.hpp"
#include "core/forces/force_tangent.hpp"

namespace kinloop {
namespace {

struct RopeLine {
  Vec3 arm_a, arm_b;  // from the reference points, world axes
  Vec3 direction;     // from a to b; zero where the points coincide
  double length_m;
  double stretch_m;
};

RopeLine line_of(const Rope& rope, const double* q, const Workspace& ws) noexcept {
  const BodyMotion& a = ws.motion[at(rope.body_a)];
  const BodyMotion& b = ws.motion[at(rope.body_b)];
  RopeLine line;
  line.arm_a = a.R * rope.point_a;
  line.arm_b = b.R * rope.point_b;
  const Vec3 a_to_b = (b.x - a.x) + (line.arm_b - line.arm_a);
  line.length_m = std::sqrt(dot(a_to_b, a_to_b));
  if (line.length_m > 0.0) line.direction = (1.0 / line.length_m) * a_to_b;
  line.stretch_m = line.length_m - rope.length;
  if (rope.q_winch >= 0) line.stretch_m -= rope.pay_out * q[rope.q_winch];
  return line;
}

double stretching_m_s(const Rope& rope, const RopeLine& line, const double* v, const Workspace& ws) noexcept {
  const BodyMotion& a = ws.motion[at(rope.body_a)];
  const BodyMotion& b = ws.motion[at(rope.body_b)];
  const Vec3 velocity = (b.v + cross(b.w, line.arm_b)) - (a.v + cross(a.w, line.arm_a));
  const double rate_m_s = dot(line.direction, velocity);
  return rope.v_winch >= 0 ? rate_m_s - rope.pay_out * v[rope.v_winch] : rate_m_s;
}

OneSidedForce tension_of(const Rope& rope, const RopeLine& line, const double* v, const Workspace& ws) noexcept {
  return one_sided_force(rope.stiffness, rope.dissipation, line.stretch_m, stretching_m_s(rope, line, v, ws));
}

}  // namespace

RopeState rope_state(const Rope& rope, const double* q, const double* v, const Workspace& ws) noexcept {
  const RopeLine line = line_of(rope, q, ws);
  RopeState state;
  state.point_a = (ws.motion[at(rope.body_a)].x + line.arm_a).eigen();
  state.point_b = (ws.motion[at(rope.body_b)].x + line.arm_b).eigen();
  state.length_m = line.length_m;
  state.rest_length_m = line.length_m - line.stretch_m;
  state.tension_N = tension_of(rope, line, v, ws).force_N;
  state.stretching_m_s = stretching_m_s(rope, line, v, ws);
  return state;
}

bool is_taut(const Rope& rope, const double* q, const Workspace& ws) noexcept {
  return line_of(rope, q, ws).stretch_m > 0.0;
}

void add_rope(const Rope& rope, const double* q, const double* v, Workspace& ws) noexcept {
  const RopeLine line = line_of(rope, q, ws);
  const double tension_N = tension_of(rope, line, v, ws).force_N;
  const Vec3 force = tension_N * line.direction;  // on a, towards b
  BodyLoad& load_a = ws.load[at(rope.body_a)];
  BodyLoad& load_b = ws.load[at(rope.body_b)];
  load_a.f += force;
  load_a.n += cross(line.arm_a, force);
  load_b.f -= force;
  load_b.n -= cross(line.arm_b, force);
  if (rope.v_winch >= 0) ws.tau[rope.v_winch] += rope.pay_out * tension_N;
}

ElementTangent rope_tangent(const Rope& rope, const double* q, const double* v, const Workspace& ws) noexcept {
  const RopeLine line = line_of(rope, q, ws);
  ElementTangent tangent;
  tangent.body_a = rope.body_a;
  tangent.body_b = rope.body_b;
  tangent.arm_a = line.arm_a;
  tangent.arm_b = line.arm_b;
  if (!(line.length_m > 0.0)) return tangent;
  const OneSidedForce tension = tension_of(rope, line, v, ws);
  const Vector3 direction = line.direction.eigen();
  const Matrix3 along = direction * direction.transpose();
  tangent.stiffness = tension.stiffness * along;
  tangent.stiffness += tension.force_N / line.length_m * (Matrix3::Identity() - along);
  tangent.damping = tension.damping * along;
  tangent.winch = rope.v_winch;
  tangent.winch_line = -rope.pay_out * line.direction;
  return tangent;
}

double rope_energy(const Rope& rope, const double* q, const Workspace& ws) noexcept {
  const double stretch_m = std::max(0.0, line_of(rope, q, ws).stretch_m);
  return 0.5 * rope.stiffness * stretch_m * stretch_m;
}

constinit const ForceElementKind force_elements::kRope = {
    [](const Model& model) noexcept { return model.ropes().size(); },
    [](const Model& model, const double* q, const double* v, Workspace& ws) noexcept {
      for (const Rope& rope : model.ropes()) add_rope(rope, q, v, ws);
    },
    [](const Model& model, const double* q, const Workspace& ws, double& energy_J) noexcept {
      for (const Rope& rope : model.ropes()) energy_J += rope_energy(rope, q, ws);
    },
    [](const Model& model, const double* q, const double* v, const Workspace& ws, ForceTangent& sum) noexcept {
      for (const Rope& rope : model.ropes()) sum.add(model, rope_tangent(rope, q, v, ws), ws);
    },
    nullptr};

}  // namespace kinloop
