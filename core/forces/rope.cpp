// Tension of a rope from its stretch; none while it is slack.
#include "core/forces/rope.hpp"

#include <algorithm>

#include "core/base/at.hpp"
#include "core/forces/contact_law.hpp"
#include "core/forces/force_element.hpp"
#include "core/forces/force_slopes.hpp"
#include "core/forces/point_pair.hpp"
#include "core/forces/tangent_sum.hpp"

namespace kinloop {
namespace {

struct RopeLine {
  PointPair points;
  Vec3 direction;  // from a to b; zero where the points coincide
  double stretch_m;
};

RopeLine line_of(const Rope& rope, const double* q, const Workspace& ws) noexcept {
  RopeLine line{point_pair(rope.body_a, rope.point_a, rope.body_b, rope.point_b, ws), {}, 0.0};
  if (line.points.length_m > 0.0) line.direction = (1.0 / line.points.length_m) * line.points.a_to_b;
  line.stretch_m = line.points.length_m - rope.length;
  if (rope.q_winch >= 0) line.stretch_m -= rope.pay_out * q[rope.q_winch];
  return line;
}

double stretching_m_s(const Rope& rope, const RopeLine& line, const double* v, const Workspace& ws) noexcept {
  const double rate_m_s = dot(line.direction, relative_velocity(line.points, ws));
  return rope.v_winch >= 0 ? rate_m_s - rope.pay_out * v[rope.v_winch] : rate_m_s;
}

OneSidedForce tension_of(const Rope& rope, const RopeLine& line, const double* v, const Workspace& ws) noexcept {
  return one_sided_force(rope.stiffness, rope.dissipation, line.stretch_m, stretching_m_s(rope, line, v, ws));
}

/// As if it were taut, along its line.
ElementTangent taut_tangent(const Rope& rope, const double* q, const double* v, const Workspace& ws) noexcept {
  ElementTangent tangent = rope_tangent(rope, q, v, ws);
  const Vec3 line = line_of(rope, q, ws).direction;
  if (dot(line, line) > 0.0) tangent.stiffness = scaled(rope.stiffness, outer(line, line));
  return tangent;
}

}  // namespace

RopeState rope_state(const Rope& rope, const double* q, const double* v, const Workspace& ws) noexcept {
  const RopeLine line = line_of(rope, q, ws);
  RopeState state;
  state.point_a = (ws.motion[at(rope.body_a)].x + line.points.arm_a).eigen();
  state.point_b = (ws.motion[at(rope.body_b)].x + line.points.arm_b).eigen();
  state.length_m = line.points.length_m;
  state.rest_length_m = line.points.length_m - line.stretch_m;
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
  add_force_pair(line.points, tension_N * line.direction, ws);  // on a, towards b
  if (rope.v_winch >= 0) ws.tau[rope.v_winch] += rope.pay_out * tension_N;
}

ElementTangent rope_tangent(const Rope& rope, const double* q, const double* v, const Workspace& ws) noexcept {
  const RopeLine line = line_of(rope, q, ws);
  ElementTangent tangent = tangent_at(line.points);
  if (!(line.points.length_m > 0.0)) return tangent;
  const OneSidedForce tension = tension_of(rope, line, v, ws);
  const Mat3 along = outer(line.direction, line.direction);
  tangent.stiffness =
      scaled(tension.stiffness, along) + scaled(tension.force_N / line.points.length_m, identity3() - along);
  tangent.damping = scaled(tension.damping, along);
  tangent.winch = rope.v_winch;
  tangent.winch_line = -rope.pay_out * line.direction;
  return tangent;
}

PairSlope rope_slope(const Rope& rope, const double* q, const double* v, const Workspace& ws) noexcept {
  const RopeLine line = line_of(rope, q, ws);
  const OneSidedForce tension = tension_of(rope, line, v, ws);
  PairSlope slope = tension_slope(line.points, line.direction, tension.force_N, tension.stiffness, tension.damping, ws);
  if (rope.v_winch < 0) return slope;
  const double pay_out = rope.pay_out;
  slope.winch = rope.v_winch;
  slope.force_by_q = pay_out * tension.stiffness * line.direction;  // what is let out takes from the tension
  slope.force_by_v = pay_out * tension.damping * line.direction;
  slope.winch_gain = pay_out;
  slope.tension_by_q = -pay_out * tension.stiffness;
  slope.tension_by_v = -pay_out * tension.damping;
  return slope;
}

double rope_energy(const Rope& rope, const double* q, const Workspace& ws) noexcept {
  const double stretch_m = std::max(0.0, line_of(rope, q, ws).stretch_m);
  return 0.5 * rope.stiffness * stretch_m * stretch_m;
}

constinit const ForceElementKind force_elements::kRope = {
    [](const Model& model) noexcept { return model.ropes().size(); },
    [](const Model& model, std::vector<int>& bodies) {
      for (const Rope& rope : model.ropes()) bodies.insert(bodies.end(), {rope.body_a, rope.body_b});
    },
    [](const Model& model, const double* q, const double* v, Workspace& ws) noexcept {
      for (const Rope& rope : model.ropes()) add_rope(rope, q, v, ws);
    },
    [](const Model& model, const double* q, const Workspace& ws, double& energy_J) noexcept {
      for (const Rope& rope : model.ropes()) energy_J += rope_energy(rope, q, ws);
    },
    [](const Model& model, const double* q, const double* v, const Workspace& ws, TangentSum& sum) noexcept {
      for (const Rope& rope : model.ropes()) sum.add(model, rope_tangent(rope, q, v, ws), ws);
    },
    [](const Model& model, const double* q, const double* v, const Workspace& ws, ForceSlopes& sum) noexcept {
      for (const Rope& rope : model.ropes()) {
        if (rope_state(rope, q, v, ws).length_m > 0.0) sum.add(rope_slope(rope, q, v, ws));
      }
    },
    [](const Model& model, const double* q, const double* v, const Workspace& ws, Dissipation& sum) noexcept {
      for (const Rope& rope : model.ropes()) {
        const RopeState now = rope_state(rope, q, v, ws);
        const double stretch_m = std::max(0.0, now.length_m - now.rest_length_m);
        sum.ropes += (now.tension_N - rope.stiffness * stretch_m) * now.stretching_m_s;
      }
    },
    nullptr,
    {[](const Model& model, const double* q, const double* /*v*/, const Workspace& ws, char* acts) noexcept {
       for (const Rope& rope : model.ropes()) *acts++ = is_taut(rope, q, ws) ? 1 : 0;
     },
     true,
     [](const Model& model, const double* q, const double* v, const Workspace& ws, TangentSum& sum) {
       for (const Rope& rope : model.ropes()) sum.add(model, taut_tangent(rope, q, v, ws), ws);
     }}};

}  // namespace kinloop
