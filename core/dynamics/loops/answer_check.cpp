// Compares accelerations around every loop; inverse dynamics for what is left of the forces.
#include "core/dynamics/loops/answer_check.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/at.hpp"
#include "core/dynamics/inverse_dynamics.hpp"
#include "core/kinematics/loop_constraints.hpp"

namespace kinloop {
namespace {

/// Mechanisms at rest have accelerations of rounding only. Shares are taken of no less than this part of what gravity
/// does to a pendulum of the mechanism's length, or of what it does to one of a metre where there is no gravity.
constexpr double kStill = 1e-3;

double floor_of(const Model& model) {
  const double gravity = model.gravity().norm();
  return kStill * (gravity > 0.0 ? gravity / model.length_m() : 9.81);
}

double size2(const SpatialVector& a, double inverse_length2) noexcept {
  return dot(a.angular, a.angular, inverse_length2 * a.linear, a.linear);
}

/// What the accelerations of a closing joint's bodies miss, at its point, in world axes.
struct Missed {
  SpatialVector succ, pred, gap;
};

Missed missed_by(const LoopJoint& loop, const LoopConstraint& constraint, const Workspace& ws) noexcept {
  const SpatialVector succ = shift_motion(ws.A[at(loop.successor)], constraint.arm_succ);
  const SpatialVector pred = shift_motion(ws.A[at(loop.predecessor)], constraint.arm_pred);
  return {succ, pred, constraint.bias - (succ - pred)};
}

/// The largest square of a component along the axes that the mask lets through. Numbers only.
double largest_square(const SpatialVector& a, const SpatialVector& mask) noexcept {
  const Lanes4 turn = a.angular.lanes * mask.angular.lanes;
  const Lanes4 way = a.linear.lanes * mask.linear.lanes;
  const Lanes4 turn2 = turn * turn;
  const Lanes4 way2 = way * way;
  const Lanes4 most2 = turn2 > way2 ? turn2 : way2;
  return std::max(std::max(most2[0], most2[1]), most2[2]);
}

}  // namespace

AnswerCheck::AnswerCheck(const Model& model)
    : length_m_(model.length_m()),
      floor_(floor_of(model)),
      missed_by_couplings_(VectorX::Zero(static_cast<Eigen::Index>(model.couplings().size()))),
      gap_(model),
      force_(at(model.body_count())),
      tau_(VectorX::Zero(model.nv())),
      change_(VectorX::Zero(model.nv())) {
  for (const LoopJoint& loop : model.loops()) {
    SpatialVector mask;
    for (std::size_t r = 0; loop.constant && r < at(loop.directions->rows); ++r) {
      mask = mask + loop.directions->G[r];  // axes, each once
    }
    blocked_.push_back(mask);
  }
}

double AnswerCheck::constraint_error(const Model& model, const Workspace& ws) noexcept {
  if (!std::isfinite(ws.vdot.squaredNorm())) {  // from here on everything is a number
    worst_loop_ = 0;
    worst_ = std::numeric_limits<double>::infinity();
    return worst_;
  }
  const double inverse_length2 = 1.0 / (length_m_ * length_m_);
  const double still = std::max(floor_, kStill * ws.vdot.lpNorm<Eigen::Infinity>());
  const double still2 = still * still;
  double worst2 = 0.0;
  worst_loop_ = -1;
  const auto watch = [&](std::size_t loop, double missed2, double scale2) {
    if (missed2 <= worst2 * scale2) return;
    worst2 = missed2 / scale2;
    worst_loop_ = static_cast<int>(loop);
  };
  for (std::size_t l = 0; l < ws.loop_constraint.size(); ++l) {
    const LoopConstraint& constraint = ws.loop_constraint[l];
    const LoopJoint& loop = model.loops()[l];
    const Missed at_point = missed_by(loop, constraint, ws);
    const SpatialVector gap_A = rotated(transposed(constraint.R_WA), at_point.gap);
    double missed2 = 0.0;
    if (loop.constant) {  // rows are axes
      missed2 = largest_square(gap_A, blocked_[l]);
    } else {
      const JointSubspaces& in_A = constraint.in_A();
      for (std::size_t r = 0; r < at(in_A.rows); ++r) {
        const double row = dot(in_A.G[r], gap_A);
        missed2 = std::max(missed2, row * row);
      }
    }
    const double least2 = std::max(size2(at_point.succ, inverse_length2), still2);
    if (missed2 <= worst2 * least2) continue;  // the rest of the scale could only lower it
    watch(l, missed2,
          std::max({least2, size2(at_point.pred, inverse_length2), size2(constraint.bias, inverse_length2)}));
  }
  for (std::size_t i = 0; i < model.couplings().size(); ++i) {
    const Coupling& c = model.couplings()[i];
    const auto free = [&](int speed) { return model.coordinate(speed).motion >= 0 ? 0.0 : ws.vdot[speed]; };
    const double dependent = free(c.v_dependent);
    const double of = c.ratio * free(c.v_of);
    const double bias = ws.coupling_bias[static_cast<Eigen::Index>(i)];
    const double missed = bias - (dependent - of);
    missed_by_couplings_[static_cast<Eigen::Index>(i)] = missed;
    const double scale = std::max({std::abs(dependent), std::abs(of), std::abs(bias), still});
    watch(ws.loop_constraint.size() + i, missed * missed, scale * scale);
  }
  worst_ = std::sqrt(worst2);
  return worst_;
}

void AnswerCheck::find_gap(const Model& model, const Workspace& ws) noexcept {
  // An answer that misses less is that of constraints changed by rounding.
  constexpr double kRounding = 1e-13;
  if (worst_ <= kRounding) {
    if (gap_.is_zero) return;
    std::fill(gap_.loop.begin(), gap_.loop.end(), SpatialVector{});
    gap_.coupling.setZero();
    gap_.is_zero = true;
    return;
  }
  gap_.is_zero = false;
  gap_.coupling = missed_by_couplings_;
  for (std::size_t l = 0; l < ws.loop_constraint.size(); ++l) {
    const LoopConstraint& constraint = ws.loop_constraint[l];
    gap_.loop[l] = blocked_part(constraint, length_m_, missed_by(model.loops()[l], constraint, ws).gap);
  }
}

double AnswerCheck::change(const Model& model, const Workspace& ws, Dynamics& dynamics) noexcept {
  find_gap(model, ws);
  // What joints and loop constraints must carry.
  force_[0] = SpatialVector{};
  for (int k = 1; k < model.body_count(); ++k) {
    const BodyLoad& load = ws.load[at(k)];
    const SpatialVector& A = ws.A[at(k)];
    force_[at(k)] = {load.n - (load.J * A.angular + cross(load.mc, A.linear)),
                     load.f - (model.body(k).mass * A.linear + cross(A.angular, load.mc))};
  }
  for (int i = 0; i < model.nv(); ++i) tau_[i] = ws.tau[i] - ws.armature[i] * ws.vdot[i];
  dynamics.refine_bodies(model, ws, force_, tau_, gap_, change_);
  for (const int i : model.driven_speeds()) change_[i] = 0.0;
  // rad/s^2, and m/s^2 in lengths of the mechanism.
  const double inverse_length2 = 1.0 / (length_m_ * length_m_);
  double change2 = 0.0;
  double vdot2 = floor_ * floor_;
  for (int i = 0; i < model.nv(); ++i) {
    const double moves2 = size2({ws.Hw[at(i)], ws.Hv[at(i)]}, inverse_length2);
    const double own2 = change_[i] * change_[i] * moves2;
    if (!(own2 <= change2)) change2 = own2;  // what is not a number is the largest of all
    vdot2 = std::max(vdot2, ws.vdot[i] * ws.vdot[i] * moves2);
  }
  return std::sqrt(change2 / vdot2);
}

void AnswerCheck::apply_change(const Model& model, Workspace& ws) const noexcept {
  ws.vdot += change_;
  update_body_accelerations(model, ws);
}

double AnswerCheck::allowed(const Workspace& ws) noexcept {
  constexpr double kGrowth = 1e3;  // Bennett, Sarrus and spherical linkages: 50 at the worst
  double speed = 1.0;
  for (const LoopConstraint& constraint : ws.loop_constraint) {
    speed = std::max(speed, std::sqrt(dot(constraint.rate.angular, constraint.rate.angular)));
  }
  return kGrowth * (closure_error(ws) + closure_rate(ws) / speed);
}

}  // namespace kinloop
