// Composite bodies, leaves to ground, and the products of their changes with all columns before them.
#include "core/derivatives/inverse_dynamics_slopes.hpp"

#include <algorithm>

#include "core/base/at.hpp"
#include "core/forces/point_pair.hpp"
#include "core/kinematics/composite_inertia.hpp"

namespace kinloop {
namespace {

SpatialVector times(const Mat3& J, const Vec3& mc, double mass, const SpatialVector& motion) noexcept {
  return {J * motion.angular + cross(mc, motion.linear), fused(mass, motion.linear, cross(motion.angular, mc))};
}

/// At the point P instead of the common one.
SpatialVector seen_at(const SpatialVector& motion, const Vec3& P) noexcept {
  return {motion.angular, motion.linear + cross(motion.angular, P)};
}

SpatialVector wrench_at(const Vec3& moment, const Vec3& force, const Vec3& P) noexcept {
  return {moment + cross(P, force), force};
}

}  // namespace

InverseDynamicsSlopes::InverseDynamicsSlopes(const Model& model)
    : model_(model),
      composite_(at(model.body_count())),
      M_(MatrixX::Zero(model.nv(), model.nv())),
      by_q_(M_),
      by_v_(M_),
      path_(2 * at(model.nv())) {}

void InverseDynamicsSlopes::update(const MotionSlopes& motion, const Workspace& ws) noexcept {
  motion_ = &motion;
  M_.setZero();
  by_q_.setZero();
  by_v_.setZero();
  for (int k = 1; k < model_.body_count(); ++k) {
    Composite& own = composite_[at(k)];
    const CompositeInertia body = body_inertia(model_, ws, k);
    const ParallelAxisTerms more = parallel_axis(body, motion.place[at(k)]);
    own.J = (body.J + diagonal3(more.trace)) - more.products;
    own.mc = body.mc + body.mass * motion.place[at(k)];
    own.mass = body.mass;
    const Vec3& w = motion.v[at(k)].angular;
    const Vec3& u = motion.v[at(k)].linear;
    const SpatialVector momentum = times(own.J, own.mc, own.mass, motion.v[at(k)]);
    own.momentum = momentum.linear;
    own.wrench = times(own.J, own.mc, own.mass, motion.a[at(k)]) + cross_force(motion.v[at(k)], momentum);
    // B X = I (X x v) + X x* (I v) + v x* (I X): zero for translations.
    const double trace = own.J(0, 0) + own.J(1, 1) + own.J(2, 2);
    const Mat3 spread = diagonal3(trace) - scaled(2.0, own.J);
    own.gyration =
        times_skew(spread, w) - skew(2.0 * (own.J * w)) + diagonal3(2.0 * dot(own.mc, u)) - outer(2.0 * u, own.mc);
  }
  for (int k = model_.body_count() - 1; k > 0; --k) {
    const BodyConstants& body = model_.body(k);
    const Composite& own = composite_[at(k)];
    for (int i = body.v; i < body.v + body.nv; ++i) {
      const SpatialVector& J_i = motion.J[at(i)];
      const SpatialVector u = times(own.J, own.mc, own.mass, J_i);
      const auto gyrated = [&](const Vec3& turn) {
        return SpatialVector{own.gyration * turn, 2.0 * cross(turn, own.momentum)};
      };
      const Mat3& B = own.gyration;
      const Vec3 y = Vec3(dot(B.c[0], J_i.angular), dot(B.c[1], J_i.angular), dot(B.c[2], J_i.angular)) +
                     2.0 * cross(own.momentum, J_i.linear);
      const SpatialVector by_q = times(own.J, own.mc, own.mass, motion.c[at(i)]) + gyrated(motion.psi[at(i)].angular) +
                                 cross_force(J_i, own.wrench);
      const SpatialVector by_v = times(own.J, own.mc, own.mass, motion.b[at(i)]) + gyrated(J_i.angular);
      for (int j = body.v; j < body.v + body.nv; ++j) {  // rows of the same joint
        const SpatialVector& J_j = motion.J[at(j)];
        M_(j, i) = dot(J_j, u);
        by_v_(j, i) = dot(J_j, by_v);
        by_q_(j, i) = motion.carries(model_, i, j) ? dot(J_j, by_q - cross_force(J_i, own.wrench)) : dot(J_j, by_q);
      }
      by_q_(i, i) += dot(motion.bend[at(i)], own.wrench);
      M_(i, i) += ws.armature[i];
      for (int a = body.parent; a > 0; a = model_.body(a).parent) {
        const BodyConstants& ancestor = model_.body(a);
        for (int j = ancestor.v; j < ancestor.v + ancestor.nv; ++j) {
          const SpatialVector& J_j = motion.J[at(j)];
          M_(j, i) = M_(i, j) = dot(J_j, u);
          by_q_(j, i) = dot(J_j, by_q);
          by_v_(j, i) = dot(J_j, by_v);
          by_q_(i, j) = dot(u, motion.c[at(j)]) + dot(y, motion.psi[at(j)].angular);
          by_v_(i, j) = dot(u, motion.b[at(j)]) + dot(y, J_j.angular);
        }
      }
    }
    if (body.parent == 0) continue;
    Composite& parent = composite_[at(body.parent)];
    parent.J = parent.J + own.J;
    parent.mc += own.mc;
    parent.mass += own.mass;
    parent.gyration = parent.gyration + own.gyration;
    parent.momentum += own.momentum;
    parent.wrench = parent.wrench + own.wrench;
  }
}

void InverseDynamicsSlopes::find_path(int a, int b) noexcept {
  path_count_ = 0;
  const auto take = [&](int& k, double sign) {
    const BodyConstants& body = model_.body(k);
    for (int i = body.v; i < body.v + body.nv; ++i) {
      path_[at(path_count_)].speed = i;
      path_[at(path_count_++)].sign = sign;
    }
    k = body.parent;
  };
  while (a != b) b > a ? take(b, 1.0) : take(a, -1.0);
}

void InverseDynamicsSlopes::add(const PairSlope& pair) noexcept {
  const MotionSlopes& motion = *motion_;
  find_path(pair.body_a, pair.body_b);
  const Vec3 P = motion.place[at(pair.body_b)] + pair.arm_b;
  const SpatialVector& v_b = motion.v[at(pair.body_b)];
  const SpatialVector wrench = wrench_at(pair.moment, pair.force, P);
  for (int n = 0; n < path_count_; ++n) {
    PathSpeed& p = path_[at(n)];
    const SpatialVector& J = motion.J[at(p.speed)];
    const SpatialVector moved = seen_at(J, P);
    const SpatialVector faster = seen_at(cross_motion(J, v_b) + motion.psi[at(p.speed)], P);
    const Vec3 e = moved.linear + cross(moved.angular, pair.lever);
    const Vec3 force =
        pair.force_by_place * e + pair.force_by_rate * faster.linear + pair.force_by_turn * moved.angular;
    const Vec3 moment = cross(e, pair.force) + pair.moment_by_turn * moved.angular +
                        pair.moment_by_spin * faster.angular + pair.moment_by_place * e;
    const SpatialVector change = wrench_at(moment, force, P);
    // Where a moves, all moves with it, and b back.
    p.by_q = p.sign > 0.0 ? change : cross_force(J, wrench) - change;
    p.by_v = p.sign * wrench_at(pair.moment_by_spin * moved.angular, pair.force_by_rate * moved.linear, P);
    p.winch_by_q =
        p.sign * pair.winch_gain * (dot(pair.tension_by_place, e) + dot(pair.tension_by_rate, faster.linear));
    p.winch_by_v = p.sign * pair.winch_gain * dot(pair.tension_by_rate, moved.linear);
  }
  for (int r = 0; r < path_count_; ++r) {
    const PathSpeed& row = path_[at(r)];
    const int i = row.speed;
    const SpatialVector& J = motion.J[at(i)];
    by_q_(i, i) -= row.sign * dot(motion.bend[at(i)], wrench);
    for (int n = 0; n < path_count_; ++n) {
      const PathSpeed& column = path_[at(n)];
      const int j = column.speed;
      double by_q = dot(J, column.by_q);
      if (row.sign == column.sign && motion.carries(model_, j, i)) {
        by_q += dot(cross_motion(motion.J[at(j)], J), wrench);
      }
      by_q_(i, j) -= row.sign * by_q;
      by_v_(i, j) -= row.sign * dot(J, column.by_v);
    }
  }
  if (pair.winch < 0) return;
  const int w = pair.winch;
  const SpatialVector by_q = wrench_at(Vec3(), pair.force_by_q, P);
  const SpatialVector by_v = wrench_at(Vec3(), pair.force_by_v, P);
  for (int n = 0; n < path_count_; ++n) {
    const PathSpeed& p = path_[at(n)];
    by_q_(w, p.speed) -= p.winch_by_q;
    by_v_(w, p.speed) -= p.winch_by_v;
    by_q_(p.speed, w) -= p.sign * dot(motion.J[at(p.speed)], by_q);
    by_v_(p.speed, w) -= p.sign * dot(motion.J[at(p.speed)], by_v);
  }
  by_q_(w, w) -= pair.winch_gain * pair.tension_by_q;
  by_v_(w, w) -= pair.winch_gain * pair.tension_by_v;
}

void InverseDynamicsSlopes::add_along(int speed, double by_q, double by_v) noexcept {
  by_q_(speed, speed) -= by_q;
  by_v_(speed, speed) -= by_v;
}

}  // namespace kinloop
