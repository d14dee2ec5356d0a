// Evaluates closing joints: where B is against where the joint would have it, and how it moves.
#include "core/kinematics/loop_constraints.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/base/at.hpp"
#include "core/joints/rotation_logarithm.hpp"

namespace kinloop {
namespace {

/// Of unit length, square to a.
Vec3 any_normal(const Vec3& a) noexcept {
  const Vec3 normal = std::abs(a.x()) < 0.5 ? Vec3(0.0, a.z(), -a.y()) : Vec3(a.z(), 0.0, -a.x());
  return (1.0 / std::sqrt(dot(normal, normal))) * normal;
}

/// The rotation that takes a to b, both of unit length; sine and angle agree where a loop is nearly closed.
Vec3 rotation_between(const Vec3& a, const Vec3& b) noexcept {
  const Vec3 axis = cross(a, b);
  const double cosine = dot(a, b);
  const double sine2 = dot(axis, axis);
  constexpr double kSmall2 = 1e-8;  // there sine and angle differ by less than rounding
  if (cosine > 0.0 && sine2 < kSmall2) return axis;
  const double sine = std::sqrt(sine2);
  if (!(sine > 0.0)) return std::numbers::pi * any_normal(a);  // half a turn, about any axis
  return (std::atan2(sine, cosine) / sine) * axis;
}

/// The rotational error of joints whose directions do not depend on their coordinates: no coordinate is needed.
Vec3 angular_error(const LoopJoint& loop, const Mat3& R_WA, const Mat3& R_WS) noexcept {
  switch (loop.rotation) {
    case JointRotation::kAboutZ:
      return rotation_between(R_WA.c[2], R_WS * loop.R_SB.c[2]);
    case JointRotation::kNone:
      return R_WA * rotation_vector(transposed(R_WA) * (R_WS * loop.R_SB));
    case JointRotation::kTwoAxes:
    case JointRotation::kOther:
      break;
  }
  return {};
}

/// Free speeds of the joint that come nearest to a relative twist, in the axes of A: least squares, joints of up to 2
/// speeds.
std::array<double, 6> nearest_speeds(const JointSubspaces& d, double length_m, const SpatialVector& twist) noexcept {
  const double weight = 1.0 / (length_m * length_m);
  const auto product = [&](const SpatialVector& a, const SpatialVector& b) {
    return dot(a.angular, b.angular) + weight * dot(a.linear, b.linear);
  };
  std::array<double, 6> speeds{};
  if (d.dofs == 0) return speeds;
  const double a = product(d.H[0], d.H[0]);
  const double e = product(d.H[0], twist);
  if (d.dofs == 1) {
    if (a > 0.0) speeds[0] = e / a;
    return speeds;
  }
  const double b = product(d.H[0], d.H[1]);
  const double c = product(d.H[1], d.H[1]);
  const double f = product(d.H[1], twist);
  const double determinant = a * c - b * b;
  if (determinant > 0.0) {
    speeds[0] = (c * e - b * f) / determinant;
    speeds[1] = (a * f - b * e) / determinant;
  }
  return speeds;
}

std::array<double, 7> fitted(const LoopJoint& loop, const Mat3& R, const Vec3& p) noexcept {
  std::array<double, 7> q{};
  joint_kind(loop.type).fit(loop.parameters, R, p, q.data());
  return q;
}

/// What the drives want, at the joint's motion there.
void find_prescribed(const Model& model, const LoopJoint& loop, double time_s, const JointMotion& joint,
                     LoopConstraint& out) noexcept {
  PrescribedMotion& wanted = out.prescribed[0];
  wanted.velocity = wanted.acceleration = {};
  for (std::size_t i = 0; i < loop.drives.size(); ++i) {
    const auto c = at(loop.drives[i].coordinate);
    const FunctionValue value = model.motions()[at(loop.drives[i].motion)](time_s);
    wanted.H[i] = rotated(out.R_WA, {joint.Hw[c], joint.Hv[c]});
    wanted.velocity = wanted.velocity + value.d1 * wanted.H[i];
    wanted.acceleration = wanted.acceleration + value.d2 * wanted.H[i];
  }
}

/// Universal, screw, cam and driven joints: error and directions at the coordinates that come nearest, the driven ones
/// where their motions want them; returns these coordinates.
std::array<double, 7> place_at_coordinates(const Model& model, const LoopJoint& loop, double time_s, const Mat3& R_WS,
                                           const Vec3& p_AB_W, LoopConstraint& out) noexcept {
  const JointKind& kind = joint_kind(loop.type);
  const Mat3 R_AW = transposed(out.R_WA);
  const Mat3 R_AB = R_AW * (R_WS * loop.R_SB);
  const Vec3 p_AB = R_AW * p_AB_W;
  std::array<double, 7> q = fitted(loop, R_AB, p_AB);
  for (const LoopDrive& drive : loop.drives) q[at(drive.coordinate)] = model.motions()[at(drive.motion)](time_s).f;
  const std::array<double, 6> at_rest{};
  JointMotion joint;
  kind.evaluate(loop.parameters, q.data(), at_rest.data(), joint);
  out.error = rotated(out.R_WA, {rotation_vector(R_AB * transposed(joint.R)), p_AB - joint.p});
  if (!loop.constant) out.fitted[0] = joint_directions(kind, joint, model.length_m(), loop.driven());
  if (!loop.drives.empty()) find_prescribed(model, loop, time_s, joint, out);
  return q;
}

/// The own bias of a joint whose directions change, in world axes; needs its rate.
SpatialVector bias_of_fitted(const Model& model, const LoopJoint& loop, double time_s, const std::array<double, 7>& q,
                             const LoopConstraint& constraint) noexcept {
  const SpatialVector rate_A = rotated(transposed(constraint.R_WA), constraint.rate);
  const std::array<double, 6> free = nearest_speeds(constraint.fitted[0], model.length_m(), rate_A);
  const DrivenCoordinates driven = loop.driven();
  std::array<double, 6> v{};
  std::size_t next = 0;
  for (std::size_t c = 0; c < at(joint_kind(loop.type).nv); ++c) {
    if (!driven[c]) v[c] = free[next++];
  }
  for (const LoopDrive& drive : loop.drives) v[at(drive.coordinate)] = model.motions()[at(drive.motion)](time_s).d1;
  JointMotion joint;
  joint_kind(loop.type).evaluate(loop.parameters, q.data(), v.data(), joint);
  return rotated(constraint.R_WA, {joint.bw, joint.bv});
}

/// Sums along the tree, so that a loop far from the origin is measured as well as one near it.
void update_from_root(const Model& model, Workspace& ws) noexcept {
  for (std::size_t i = 1; i < ws.from_root.size(); ++i) {
    const int parent = model.body(static_cast<int>(i)).parent;
    ws.from_root[i] = parent > 0 ? ws.from_root[at(parent)] + ws.motion[i].r : Vec3();
  }
}

/// x_S - x_P. Bodies of one tree are compared along it, others in the world.
Vec3 between(const LoopJoint& loop, const Workspace& ws) noexcept {
  const auto P = at(loop.predecessor);
  const auto S = at(loop.successor);
  return loop.same_root ? ws.from_root[S] - ws.from_root[P] : ws.motion[S].x - ws.motion[P].x;
}

/// Axes and arms of a closing joint; returns the way from the origin of A to that of B.
Vec3 place_frames(const LoopJoint& loop, const Workspace& ws, LoopConstraint& out) noexcept {
  const BodyMotion& P = ws.motion[at(loop.predecessor)];
  const BodyMotion& S = ws.motion[at(loop.successor)];
  out.R_WA = P.R * loop.R_PA;
  out.arm_succ = S.R * loop.p_SB;
  out.arm_pred = between(loop, ws) + out.arm_succ;
  return out.arm_pred - P.R * loop.p_PA;
}

/// All that depends on positions; writes the coordinates of joints that need them.
void place(const Model& model, const LoopJoint& loop, double time_s, const Workspace& ws, LoopConstraint& out,
           std::array<double, 7>& q) noexcept {
  const Mat3& R_WS = ws.motion[at(loop.successor)].R;
  const Vec3 p_AB = place_frames(loop, ws, out);
  if (loop.constant) out.constant = loop.directions.get();
  if (loop.constant && loop.drives.empty()) {
    out.error = {angular_error(loop, out.R_WA, R_WS), p_AB};
  } else {
    q = place_at_coordinates(model, loop, time_s, R_WS, p_AB, out);
  }
}

/// V_S - V_P, for w x arm of both.
SpatialVector rate_of(const BodyMotion& P, const BodyMotion& S, const Vec3& w_arm_P, const Vec3& w_arm_S) noexcept {
  return {S.w - P.w, S.v + w_arm_S - P.v - w_arm_P};
}

void evaluate(const Model& model, const LoopJoint& loop, double time_s, const Workspace& ws, LoopConstraint& out,
              std::array<double, 7>& q) noexcept {
  const BodyMotion& P = ws.motion[at(loop.predecessor)];
  const BodyMotion& S = ws.motion[at(loop.successor)];
  place(model, loop, time_s, ws, out, q);
  const Vec3 w_arm_P = cross(P.w, out.arm_pred);
  const Vec3 w_arm_S = cross(S.w, out.arm_succ);
  const SpatialVector rate = rate_of(P, S, w_arm_P, w_arm_S);
  out.rate = loop.drives.empty() ? rate : rate - out.prescribed[0].velocity;
  const SpatialVector own_bias = loop.constant ? SpatialVector{} : bias_of_fitted(model, loop, time_s, q, out);
  // docs/theory/constraints.md §2: what accelerations at vdot = 0 must be beyond P, minus what they are on S.
  out.bias.angular = P.al + cross(P.w, rate.angular) + own_bias.angular - S.al;
  out.bias.linear = P.a + cross(P.al, out.arm_pred) + cross(P.w, w_arm_P + 2.0 * rate.linear) + own_bias.linear -
                    (S.a + cross(S.al, out.arm_succ) + cross(S.w, w_arm_S));
  if (!loop.drives.empty()) out.bias = out.bias + out.prescribed[0].acceleration;
}

void find_coupling_errors(const Model& model, const double* q, Workspace& ws) noexcept {
  Eigen::Index row = 0;
  for (const Coupling& c : model.couplings()) {
    ws.coupling_error[row++] = q[c.q_dependent] - c.ratio * q[c.q_of] - c.offset;
  }
}

void find_coupling_rates(const Model& model, const double* v, Workspace& ws) noexcept {
  Eigen::Index row = 0;
  for (const Coupling& c : model.couplings()) ws.coupling_rate[row++] = v[c.v_dependent] - c.ratio * v[c.v_of];
}

double largest_blocked(const LoopConstraint& constraint, const SpatialVector& motion) noexcept {
  const JointSubspaces& in_A = constraint.in_A();
  const SpatialVector motion_A = rotated(transposed(constraint.R_WA), motion);
  double largest = 0.0;
  for (std::size_t i = 0; i < at(in_A.rows); ++i) {
    largest = std::max(largest, std::abs(dot(in_A.G[i], motion_A)));
  }
  return largest;
}

/// The largest blocked part, of loop joints and couplings.
double largest_of(const Workspace& ws, SpatialVector LoopConstraint::*what, const VectorX& couplings) noexcept {
  double largest = 0.0;
  for (const LoopConstraint& constraint : ws.loop_constraint) {
    largest = std::max(largest, largest_blocked(constraint, constraint.*what));
  }
  for (const double part : couplings) largest = std::max(largest, std::abs(part));
  return largest;
}

}  // namespace

SpatialVector blocked_part(const LoopConstraint& constraint, double length_m, const SpatialVector& motion) noexcept {
  const JointSubspaces& in_A = constraint.in_A();
  const SpatialVector motion_A = rotated(transposed(constraint.R_WA), motion);
  SpatialVector sum;
  for (std::size_t i = 0; i < at(in_A.rows); ++i) {
    const SpatialVector& G = in_A.G[i];
    const double share = dot(G, motion_A);
    sum.angular += share * G.angular;
    sum.linear += (share * length_m * length_m) * G.linear;
  }
  return rotated(constraint.R_WA, sum);
}

std::array<double, 7> closing_coordinates(const LoopJoint& loop, const Workspace& ws) noexcept {
  LoopConstraint constraint;
  const Vec3 p_AB = place_frames(loop, ws, constraint);
  const Mat3 R_AW = transposed(constraint.R_WA);
  const Mat3& R_WS = ws.motion[at(loop.successor)].R;
  return fitted(loop, R_AW * (R_WS * loop.R_SB), R_AW * p_AB);
}

void update_loop_constraint_errors(const Model& model, const double* q, double time_s, Workspace& ws) noexcept {
  update_from_root(model, ws);
  std::array<double, 7> unused{};
  for (std::size_t i = 0; i < model.loops().size(); ++i) {
    place(model, model.loops()[i], time_s, ws, ws.loop_constraint[i], unused);
  }
  find_coupling_errors(model, q, ws);
}

void update_loop_constraint_rates(const Model& model, const double* v, Workspace& ws) noexcept {
  for (std::size_t i = 0; i < model.loops().size(); ++i) {
    const LoopJoint& loop = model.loops()[i];
    const BodyMotion& P = ws.motion[at(loop.predecessor)];
    const BodyMotion& S = ws.motion[at(loop.successor)];
    LoopConstraint& out = ws.loop_constraint[i];
    out.rate = rate_of(P, S, cross(P.w, out.arm_pred), cross(S.w, out.arm_succ));
    if (!loop.drives.empty()) out.rate = out.rate - out.prescribed[0].velocity;
  }
  find_coupling_rates(model, v, ws);
}

void update_loop_constraints(const Model& model, const double* q, const double* v, double time_s,
                             Workspace& ws) noexcept {
  update_from_root(model, ws);
  std::array<double, 7> coordinates{};
  for (std::size_t i = 0; i < model.loops().size(); ++i) {
    evaluate(model, model.loops()[i], time_s, ws, ws.loop_constraint[i], coordinates);
  }
  find_coupling_errors(model, q, ws);
  find_coupling_rates(model, v, ws);
  for (std::size_t i = 0; i < model.couplings().size(); ++i) {
    const Coupling& c = model.couplings()[i];
    const auto row = static_cast<Eigen::Index>(i);
    ws.coupling_bias[row] = c.ratio * ws.prescribed[c.v_of] - ws.prescribed[c.v_dependent];
  }
  const double damping_per_s = 2.0 * ws.baumgarte.a_per_s;
  const double stiffness_per_s2 = ws.baumgarte.b_per_s * ws.baumgarte.b_per_s;
  ws.coupling_bias -= damping_per_s * ws.coupling_rate + stiffness_per_s2 * ws.coupling_error;
  if (damping_per_s == 0.0 && stiffness_per_s2 == 0.0) return;
  for (LoopConstraint& c : ws.loop_constraint) c.bias = c.bias - damping_per_s * c.rate - stiffness_per_s2 * c.error;
}

double closure_error(const Workspace& ws) noexcept { return largest_of(ws, &LoopConstraint::error, ws.coupling_error); }

double closure_rate(const Workspace& ws) noexcept { return largest_of(ws, &LoopConstraint::rate, ws.coupling_rate); }

}  // namespace kinloop
