// A loop joint's row g is a wrench: its force turns with the predecessor, its point goes with the successor. What moves
// both moves nothing, so where the predecessor moves it is as if the successor moved back (docs/theory/derivatives.md
// §4).
#include "core/derivatives/loop_slopes.hpp"

#include <Eigen/LU>

#include "core/base/at.hpp"
#include "core/constraints/constraints.hpp"
#include "core/kinematics/loop_constraints.hpp"

namespace kinloop {
namespace {

Vector6 stacked6(const Vec3& angular, const Vec3& linear) noexcept {
  Vector6 x;
  x << angular.eigen(), linear.eigen();
  return x;
}

/// The successor, moved along one speed.
struct Moved {
  Vec3 d;              // of its point at the origin of B
  SpatialVector v, a;  // of the successor
  Vec3 u;              // of the velocity of that point
};

/// Of a row: g, its rate, and what it becomes where the successor moves.
struct Row {
  SpatialVector g, g_rate;
  Vec3 f_rate;
};

/// G, own bias and motion columns of a joint at its coordinates.
struct JointAt {
  Eigen::Matrix<double, 6, 6> G, H;
  Vector6 bias;
};

JointAt joint_at(const LoopJoint& loop, double length_m, const std::array<double, 7>& q,
                 const std::array<double, 6>& v) noexcept {
  const JointKind& kind = joint_kind(loop.type);
  JointMotion joint;
  kind.evaluate(loop.parameters, q.data(), v.data(), joint);
  const JointSubspaces directions = joint_directions(kind, joint, length_m, loop.driven());
  JointAt result;
  result.G.setZero();
  result.H.setZero();
  for (int r = 0; r < directions.rows; ++r) {
    result.G.row(r) = stacked6(directions.G[at(r)].angular, directions.G[at(r)].linear).transpose();
  }
  for (int c = 0; c < kind.nv; ++c) result.H.col(c) = stacked6(joint.Hw[at(c)], joint.Hv[at(c)]);
  result.bias = stacked6(joint.bw, joint.bv);
  return result;
}

}  // namespace

LoopSlopes::LoopSlopes(const Model& model)
    : model_(model),
      acceleration_by_q_(MatrixX::Zero(constraint_rows(model), model.nv())),
      acceleration_by_v_(acceleration_by_q_),
      rate_by_q_(acceleration_by_q_) {}

LoopSlopes::Fitted LoopSlopes::fitted(const LoopJoint& loop, const LoopConstraint& constraint,
                                      const MotionSlopes& motion, const Workspace& ws) const noexcept {
  const auto P = at(loop.predecessor);
  const auto S = at(loop.successor);
  const Vec3 p_B = motion.place[S] + constraint.arm_succ;
  const Mat3 R_AW = transposed(constraint.R_WA);
  const Vec3& w_P = motion.v[P].angular;
  const Vec3 dw = motion.v[S].angular - w_P;
  const auto point_velocity = [&](std::size_t k) { return motion.v[k].linear + cross(motion.v[k].angular, p_B); };
  const auto point_acceleration = [&](std::size_t k) {  // of the body-fixed point
    return motion.a[k].linear + cross(motion.a[k].angular, p_B) + cross(motion.v[k].angular, point_velocity(k));
  };
  const Vec3 u = point_velocity(S) - point_velocity(P);
  const Vec3 dal = motion.a[S].angular - motion.a[P].angular - cross(w_P, dw);
  const Vec3 da = point_acceleration(S) - point_acceleration(P) - 2.0 * cross(w_P, u);

  Fitted result;
  result.dofs = joint_kind(loop.type).nv;
  const auto n = static_cast<Eigen::Index>(result.dofs);
  const double length_m = model_.length_m();
  const std::array<double, 7> q = closing_coordinates(loop, ws);
  std::array<double, 6> speeds{};
  const JointAt at_rest = joint_at(loop, length_m, q, speeds);
  // The coordinates that come nearest to a motion: least squares, lengths against the mechanism's.
  Vector6 weight;
  weight << 1.0, 1.0, 1.0, Vector3::Constant(1.0 / (length_m * length_m));
  Eigen::Matrix2d normal = Eigen::Matrix2d::Identity();
  normal.topLeftCorner(n, n) = at_rest.H.leftCols(n).transpose() * weight.asDiagonal() * at_rest.H.leftCols(n);
  Eigen::Matrix<double, 2, 6> right = Eigen::Matrix<double, 2, 6>::Zero();
  right.topRows(n) = at_rest.H.leftCols(n).transpose() * weight.asDiagonal();
  result.q_by_motion = normal.inverse() * right;
  result.free_rate = stacked6(R_AW * dw, R_AW * u);
  const Eigen::Vector2d v = result.q_by_motion * result.free_rate;
  for (Eigen::Index c = 0; c < n; ++c) speeds[at(c)] = v[c];
  result.free_acceleration = stacked6(R_AW * dal, R_AW * da) - joint_at(loop, length_m, q, speeds).bias;
  for (const LoopDrive& drive : loop.drives) result.q_by_motion.row(drive.coordinate).setZero();  // follows time alone
  for (const PrescribedMotion& wanted : constraint.prescribed) {
    result.free_rate -= stacked6(R_AW * wanted.velocity.angular, R_AW * wanted.velocity.linear);
    result.free_acceleration -= stacked6(R_AW * wanted.acceleration.angular, R_AW * wanted.acceleration.linear);
  }

  result.bias_by_motion.setZero();
  result.bias_by_rate.setZero();
  constexpr double kStep = 4e-3;
  for (Eigen::Index c = 0; c < n; ++c) {
    const auto moved = [&](double h) {
      std::array<double, 7> at_q = q;
      at_q[at(c)] += h;
      return joint_at(loop, length_m, at_q, speeds);
    };
    const JointAt a1 = moved(kStep), a2 = moved(-kStep), b1 = moved(0.5 * kStep), b2 = moved(-0.5 * kStep);
    const JointAt c1 = moved(0.25 * kStep), c2 = moved(-0.25 * kStep);
    const auto slope = [&](auto member) {  // Richardson's extrapolation
      return ((64.0 * 4.0 * (c1.*member - c2.*member) - 20.0 * 2.0 * (b1.*member - b2.*member) +
               (a1.*member - a2.*member)) /
              (45.0 * 2.0 * kStep))
          .eval();
    };
    result.G_by_q[at(c)] = slope(&JointAt::G);
    const Vector6 H_v = slope(&JointAt::H).leftCols(n) * v.head(n);
    result.bias_by_motion += slope(&JointAt::bias) * result.q_by_motion.row(c);
    result.columns_by_q.col(c) = H_v;

    std::array<double, 6> faster = speeds, slower = speeds;  // the bias is of the second degree: exact
    faster[at(c)] += 1.0;
    slower[at(c)] -= 1.0;
    const Vector6 by_v = 0.5 * (joint_at(loop, length_m, q, faster).bias - joint_at(loop, length_m, q, slower).bias);
    result.bias_by_rate += by_v * result.q_by_motion.row(c);
  }
  for (Eigen::Index c = 0; c < n; ++c) {
    result.bias_by_motion -= (result.bias_by_rate * result.columns_by_q.col(c)) * result.q_by_motion.row(c);
  }
  return result;
}

void LoopSlopes::update(const MotionSlopes& motion, const Workspace& ws) noexcept {
  acceleration_by_q_.setZero();
  acceleration_by_v_.setZero();
  rate_by_q_.setZero();
  int row = 0;
  for (std::size_t i = 0; i < model_.loops().size(); ++i) {
    update_loop(model_.loops()[i], ws.loop_constraint[i], motion, ws, row);
    row += ws.loop_constraint[i].rows();
  }
}

void LoopSlopes::update_loop(const LoopJoint& loop, const LoopConstraint& constraint, const MotionSlopes& motion,
                             const Workspace& ws, int first_row) noexcept {
  const auto P = at(loop.predecessor);
  const auto S = at(loop.successor);
  const Vec3 p_B = motion.place[S] + constraint.arm_succ;
  const SpatialVector& v_S = motion.v[S];
  const SpatialVector& a_S = motion.a[S];
  const Vec3& w_P = motion.v[P].angular;
  const Vec3 dw = v_S.angular - w_P;
  const Vec3 dal = a_S.angular - motion.a[P].angular;
  const Vec3 p_B_rate = v_S.linear + cross(v_S.angular, p_B);
  const Mat3 R_AW = transposed(constraint.R_WA);
  const auto rows = at(constraint.rows());
  std::array<Row, 6> row;
  for (std::size_t r = 0; r < rows; ++r) {
    const SpatialVector G = constraint.G(static_cast<int>(r));
    const Vec3 f_rate = cross(w_P, G.linear);
    row[r] = {{G.angular + cross(p_B, G.linear), G.linear},
              {cross(w_P, G.angular) + cross(p_B_rate, G.linear) + cross(p_B, f_rate), f_rate},
              f_rate};
  }
  Fitted fit;
  if (!loop.constant) fit = fitted(loop, constraint, motion, ws);

  const auto add_speed = [&](int j, double sign) {
    const SpatialVector& J = motion.J[at(j)];
    const SpatialVector& psi = motion.psi[at(j)];
    const Vec3 d = J.linear + cross(J.angular, p_B);
    const SpatialVector dv = cross_motion(J, v_S) + psi;
    const SpatialVector da = cross_motion(J, a_S) + cross_motion(psi, v_S) + motion.c[at(j)];
    const Vec3 du = dv.linear + cross(dv.angular, p_B) + cross(v_S.angular, d);
    const SpatialVector da_v = cross_motion(J, v_S) + motion.b[at(j)];
    for (std::size_t r = 0; r < rows; ++r) {
      const auto to = static_cast<Eigen::Index>(at(first_row) + r);
      const Vec3& f = row[r].g.linear;
      const double by_q = dot(row[r].g, da) + dot(cross(d, f), dal) + dot(row[r].g_rate, dv) +
                          dot(cross(du, f) + cross(d, row[r].f_rate), dw);
      const double by_v = dot(row[r].g, da_v) + dot(row[r].g_rate, J) + dot(cross(d, f), dw);
      acceleration_by_q_(to, j) += sign * by_q;
      acceleration_by_v_(to, j) += sign * by_v;
      rate_by_q_(to, j) += sign * (dot(row[r].g, dv) + dot(cross(d, f), dw));
    }
    if (loop.constant) return;
    const Vector6 moved = stacked6(R_AW * J.angular, R_AW * d);
    // In the axes of A, at the point of B wherever it goes.
    const Vec3 u_change = dv.linear + cross(dv.angular, p_B) + cross(dw, d);
    const Vector6 rate_by_q = stacked6(R_AW * dv.angular, R_AW * u_change);
    const Vector6 bias_by_q = fit.bias_by_motion * moved + fit.bias_by_rate * rate_by_q;
    const Vector6 bias_by_v = fit.bias_by_rate * moved;
    Eigen::Matrix<double, 6, 6> G_change = Eigen::Matrix<double, 6, 6>::Zero();
    for (Eigen::Index c = 0; c < fit.dofs; ++c) G_change += fit.q_by_motion.row(c).dot(moved) * fit.G_by_q[at(c)];
    for (std::size_t r = 0; r < rows; ++r) {
      const auto to = static_cast<Eigen::Index>(at(first_row) + r);
      const auto R = static_cast<Eigen::Index>(r);
      const SpatialVector& G_A = constraint.in_A().G[r];
      const Vector6 G = stacked6(G_A.angular, G_A.linear);
      acceleration_by_q_(to, j) += sign * (G_change.row(R).dot(fit.free_acceleration) - G.dot(bias_by_q));
      acceleration_by_v_(to, j) -= sign * G.dot(bias_by_v);
      rate_by_q_(to, j) += sign * G_change.row(R).dot(fit.free_rate);
    }
  };
  int a = loop.predecessor;
  int b = loop.successor;
  while (a != b) {
    int& k = b > a ? b : a;
    const double sign = b > a ? 1.0 : -1.0;
    const BodyConstants& body = model_.body(k);
    for (int j = body.v; j < body.v + body.nv; ++j) add_speed(j, sign);
    k = body.parent;
  }
}

void LoopSlopes::add_forces(const MotionSlopes& motion, const Workspace& ws, const VectorX& multipliers,
                            InverseDynamicsSlopes& sum) noexcept {
  Eigen::Index row = 0;
  for (std::size_t i = 0; i < model_.loops().size(); ++i) {
    const LoopJoint& loop = model_.loops()[i];
    const LoopConstraint& constraint = ws.loop_constraint[i];
    PairSlope pair;
    pair.body_a = loop.predecessor;
    pair.body_b = loop.successor;
    pair.arm_b = constraint.arm_succ;
    for (int r = 0; r < constraint.rows(); ++r) {
      const SpatialVector G = constraint.G(r);
      pair.moment += multipliers[row + r] * G.angular;
      pair.force += multipliers[row + r] * G.linear;
    }
    if (!loop.constant) {
      const Fitted fit = fitted(loop, constraint, motion, ws);
      Eigen::Matrix<double, 6, 6> by_motion = Eigen::Matrix<double, 6, 6>::Zero();  // of the wrench, axes of A
      for (Eigen::Index c = 0; c < fit.dofs; ++c) {
        const Vector6 change =
            fit.G_by_q[at(c)].topRows(constraint.rows()).transpose() * multipliers.segment(row, constraint.rows());
        by_motion += change * fit.q_by_motion.row(c);
      }
      const Matrix3 R = constraint.R_WA.eigen();
      const auto in_world = [&](Eigen::Index r, Eigen::Index c) {
        return Mat3(Matrix3(R * by_motion.block<3, 3>(r, c) * R.transpose()));
      };
      pair.moment_by_turn = in_world(0, 0);
      pair.moment_by_place = in_world(0, 3);
      pair.force_by_turn = in_world(3, 0);
      pair.force_by_place = in_world(3, 3);
    }
    sum.add(pair);
    row += constraint.rows();
  }
}

}  // namespace kinloop
