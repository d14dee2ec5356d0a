// Composite bodies, leaves to ground, and the products of their changes with all columns before them.
#include "core/derivatives/inverse_dynamics_slopes.hpp"

#include <algorithm>

#include "core/forces/point_pair.hpp"
#include "core/spatial/lanes.hpp"

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
      composite_(model.body_count()),
      blocks_((model.nv() + 3) / 4),
      M_(MatrixX::Zero(model.nv(), model.nv())),
      by_q_(M_),
      by_v_(M_),
      path_(2 * model.nv()) {
  find_runs();
}

void InverseDynamicsSlopes::find_runs() {
  first_run_.push_back(0);
  for (int k = 0; k < model_.body_count(); ++k) {
    const int begin = runs_.count();
    const int own = model_.body(k).nv == 1 ? k : model_.body(k).parent;
    for (int a = k > 0 ? own : 0; a > 0; a = model_.body(a).parent) {
      const BodyConstants& body = model_.body(a);
      if (body.nv == 0) continue;
      if (runs_.count() > begin && runs_.back().first == body.v + body.nv) {
        runs_.back().first = body.v;
      } else {
        runs_.push_back({body.v, body.v + body.nv});
      }
    }
    first_run_.push_back(runs_.count());
    is_chain_ = is_chain_ && (k == 0 || model_.body(k).parent == k - 1);
  }
}

void InverseDynamicsSlopes::pack(const MotionSlopes& motion) noexcept {
  for (int j = 0; j < model_.nv(); ++j) {
    double* lane = blocks_[j / 4].data() + j % 4;
    const auto put = [&](int row, const Vec3& a) {
      for (int i = 0; i < 3; ++i) lane[4 * (row + i)] = a[i];
    };
    put(kColumn, motion.J[j].angular);
    put(kColumn + 3, motion.J[j].linear);
    put(kByQ, motion.c[j].angular);
    put(kByQ + 3, motion.c[j].linear);
    put(kByV, motion.b[j].angular);
    put(kByV + 3, motion.b[j].linear);
    put(kPsi, motion.psi[j].angular);
  }
}

/// (D2) of speed i of a body with all speeds before its joint, and itself where it is the only one: four at a time.
void InverseDynamicsSlopes::multiply_way(int body, int i, const Answer& answer) noexcept {
  const Eigen::Index n = model_.nv();
  for (int run = first_run_[body]; run < first_run_[body + 1]; ++run) {
    const auto [first, end] = runs_[run];
    for (int j = first / 4 * 4; j < end; j += 4) {
      const double* block = blocks_[j / 4].data();
      const auto product = [&](int row, const Vec3& a, Lanes4 start) {
        const Lanes4 x = fused(everywhere(a.x()), load_lanes(block + 4 * row), start);
        const Lanes4 xy = fused(everywhere(a.y()), load_lanes(block + 4 * row + 4), x);
        return fused(everywhere(a.z()), load_lanes(block + 4 * row + 8), xy);
      };
      const auto with = [&](int row, const SpatialVector& a, Lanes4 start) {
        return product(row + 3, a.linear, product(row, a.angular, start));
      };
      const Lanes4 inertia = with(kColumn, answer.u, Lanes4{});
      const Lanes4 column_by_q = with(kColumn, answer.by_q, Lanes4{});
      const Lanes4 column_by_v = with(kColumn, answer.by_v, Lanes4{});
      const Lanes4 row_by_q = with(kByQ, answer.u, product(kPsi, answer.y, Lanes4{}));
      const Lanes4 row_by_v = with(kByV, answer.u, product(kColumn, answer.y, Lanes4{}));
      const Eigen::Index column = i * n + j;
      const Eigen::Index row = i + j * n;
      const auto put_row = [&](int l) {
        M_.data()[row + l * n] = inertia[l];
        by_q_.data()[row + l * n] = row_by_q[l];
        by_v_.data()[row + l * n] = row_by_v[l];
      };
      if (j >= first && j + 4 <= end) {
        store_lanes(inertia, M_.data() + column);
        store_lanes(column_by_q, by_q_.data() + column);
        store_lanes(column_by_v, by_v_.data() + column);
        for (int l = 0; l < 4; ++l) put_row(l);
        continue;
      }
      for (int l = 0; l < 4; ++l) {
        if (j + l < first || j + l >= end) continue;
        M_.data()[column + l] = inertia[l];
        by_q_.data()[column + l] = column_by_q[l];
        by_v_.data()[column + l] = column_by_v[l];
        put_row(l);
      }
    }
  }
}

void InverseDynamicsSlopes::update(const MotionSlopes& motion, const Workspace& ws) noexcept {
  motion_ = &motion;
  if (!is_chain_) {  // else all entries are written below
    by_q_.setZero();
    by_v_.setZero();
  }
  pack(motion);
  for (int k = 1; k < model_.body_count(); ++k) {
    Composite& own = composite_[k];
    static_cast<CompositeInertia&>(own) = shifted(body_inertia(model_, ws, k), motion.place[k]);
    const Vec3& w = motion.v[k].angular;
    const Vec3& u = motion.v[k].linear;
    const SpatialVector momentum = times(own.J, own.mc, own.mass, motion.v[k]);
    own.momentum = momentum.linear;
    own.wrench = times(own.J, own.mc, own.mass, motion.a[k]) + cross_force(motion.v[k], momentum);
    // B X = I (X x v) + X x* (I v) + v x* (I X): zero for translations.
    const double trace = own.J(0, 0) + own.J(1, 1) + own.J(2, 2);
    const Mat3 spread = diagonal3(trace) - scaled(2.0, own.J);
    own.gyration =
        times_skew(spread, w) - skew(2.0 * (own.J * w)) + diagonal3(2.0 * dot(own.mc, u)) - outer(2.0 * u, own.mc);
  }
  for (int k = model_.body_count() - 1; k > 0; --k) {
    const BodyConstants& body = model_.body(k);
    const Composite& own = composite_[k];
    for (int i = body.v; i < body.v + body.nv; ++i) {
      const SpatialVector& J_i = motion.J[i];
      const SpatialVector u = times(own.J, own.mc, own.mass, J_i);
      const auto gyrated = [&](const Vec3& turn) {
        return SpatialVector{own.gyration * turn, 2.0 * cross(turn, own.momentum)};
      };
      const Mat3& B = own.gyration;
      const Vec3 y = Vec3(dot(B.c[0], J_i.angular), dot(B.c[1], J_i.angular), dot(B.c[2], J_i.angular)) +
                     2.0 * cross(own.momentum, J_i.linear);
      const SpatialVector by_q =
          times(own.J, own.mc, own.mass, motion.c[i]) + gyrated(motion.psi[i].angular) + cross_force(J_i, own.wrench);
      const SpatialVector by_v = times(own.J, own.mc, own.mass, motion.b[i]) + gyrated(J_i.angular);
      for (int j = body.v; body.nv > 1 && j < body.v + body.nv; ++j) {  // rows of the same joint
        const SpatialVector& J_j = motion.J[j];
        M_(j, i) = dot(J_j, u);
        by_v_(j, i) = dot(J_j, by_v);
        by_q_(j, i) = motion.carries(model_, i, j) ? dot(J_j, by_q - cross_force(J_i, own.wrench)) : dot(J_j, by_q);
      }
      multiply_way(k, i, {u, by_q, by_v, y});
      if (body.nv > 1) by_q_(i, i) += dot(motion.bend[i], own.wrench);  // of a cam
      M_(i, i) += ws.armature[i];
    }
    if (body.parent == 0) continue;
    Composite& parent = composite_[body.parent];
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
      path_[path_count_].speed = i;
      path_[path_count_++].sign = sign;
    }
    k = body.parent;
  };
  while (a != b) b > a ? take(b, 1.0) : take(a, -1.0);
}

void InverseDynamicsSlopes::add(const PairSlope& pair) noexcept {
  const MotionSlopes& motion = *motion_;
  find_path(pair.body_a, pair.body_b);
  const Vec3 P = motion.place[pair.body_b] + pair.arm_b;
  const SpatialVector& v_b = motion.v[pair.body_b];
  const SpatialVector wrench = wrench_at(pair.moment, pair.force, P);
  for (int n = 0; n < path_count_; ++n) {
    PathSpeed& p = path_[n];
    const SpatialVector& J = motion.J[p.speed];
    const SpatialVector moved = seen_at(J, P);
    const SpatialVector faster = seen_at(cross_motion(J, v_b) + motion.psi[p.speed], P);
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
    const PathSpeed& row = path_[r];
    const int i = row.speed;
    const SpatialVector& J = motion.J[i];
    by_q_(i, i) -= row.sign * dot(motion.bend[i], wrench);
    for (int n = 0; n < path_count_; ++n) {
      const PathSpeed& column = path_[n];
      const int j = column.speed;
      double by_q = dot(J, column.by_q);
      if (row.sign == column.sign && motion.carries(model_, j, i)) {
        by_q += dot(cross_motion(motion.J[j], J), wrench);
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
    const PathSpeed& p = path_[n];
    by_q_(w, p.speed) -= p.winch_by_q;
    by_v_(w, p.speed) -= p.winch_by_v;
    by_q_(p.speed, w) -= p.sign * dot(motion.J[p.speed], by_q);
    by_v_(p.speed, w) -= p.sign * dot(motion.J[p.speed], by_v);
  }
  by_q_(w, w) -= pair.winch_gain * pair.tension_by_q;
  by_v_(w, w) -= pair.winch_gain * pair.tension_by_v;
}

void InverseDynamicsSlopes::add_along(int speed, double by_q, double by_v) noexcept {
  by_q_(speed, speed) -= by_q;
  by_v_(speed, speed) -= by_v;
}

}  // namespace kinloop
