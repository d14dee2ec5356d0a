// The integrator's own way once more, with the change of everything beside it.
#include "core/derivatives/implicit_step_slopes.hpp"

#include <algorithm>

#include "core/base/at.hpp"
#include "core/derivatives/rotation_slopes.hpp"
#include "core/dynamics/inverse_dynamics.hpp"
#include "core/dynamics/mass_matrix.hpp"
#include "core/forces/force_element.hpp"
#include "core/forces/joint_forces.hpp"
#include "core/integrators/history.hpp"
#include "core/integrators/newton_repeats.hpp"
#include "core/kinematics/configuration.hpp"
#include "core/kinematics/forward_kinematics.hpp"
#include "core/kinematics/loop_constraints.hpp"

namespace kinloop {
namespace {

/// Of a coordinate or speed, by which the differences of K and C are made: rad, m, and per second.
constexpr double kTangentStep = 1e-6;

bool has_elements_between_bodies(const Model& model) {
  return std::ranges::any_of(force_element_kinds(), [&](const ForceElementKind* kind) {
    return kind != &force_elements::kJointForce && kind->count(model) > 0;
  });
}

}  // namespace

ImplicitStepSlopes::ImplicitStepSlopes(const Model& model)
    : model_(model),
      is_coupled_(at(model.nv()), 0),
      has_elements_(has_elements_between_bodies(model)),
      tangent_(model),
      local_(model),
      moved_tangents_(model),
      acting_before_(model),
      acting_after_(model),
      moved_ws_(model),
      required_(model),
      wrench_(at(model.body_count())),
      K_(MatrixX::Zero(model.nv(), model.nv())),
      C_(K_),
      added_matrix_(K_),
      added_(VectorX::Zero(model.nv())),
      increment_(added_),
      r_q_(added_),
      r_v_(added_),
      d_q_(added_),
      d_v_(added_),
      held_(added_),
      gamma_(VectorX::Zero(constraint_rows(model))),
      moved_q_(VectorX::Zero(model.nq())),
      moved_v_(added_),
      trial_q_(moved_q_),
      trial_v_(added_),
      up_(added_),
      down_(added_),
      back_(added_),
      change_(added_),
      no_change_(added_) {
  for (const Coupling& coupling : model.couplings()) {
    is_coupled_[at(coupling.v_dependent)] = is_coupled_[at(coupling.v_of)] = 1;
  }
}

StepStatus ImplicitStepSlopes::run(const Step& step, AccelerationSlopes& slopes, Workspace& ws, const Trial& start,
                                   Trial& trial, StageSlopes& stage, MatrixX& dq, MatrixX& dv) noexcept {
  for (MatrixX* matrix : {&d_increment_, &dr_q_, &dr_v_, &force_, &da_, &to_start_, &last_dq_, &last_dv_, &second_dq_,
                          &second_dv_, &stage.dq, &stage.dv}) {
    matrix->resize(model_.nv(), dq.cols());
  }
  const int past = past_steps(step.before, HistoryKind::kStates, step.dt_s);
  g_s_ = past > 0 ? step.dt_s * (2.0 / 3.0) : step.dt_s;
  predict(step, past, start, trial, ws, dq, dv);
  stage.dq = dq;
  advance_slopes(model_, increment_.data(), d_increment_, stage.dq);
  stage.dv = dv;
  if (past > 0) {
    const double weight = past > 1 ? -3.0 : -1.0;
    stage.dv = (1.0 - weight) * dv + weight * last_dv_;
    if (past > 1) stage.dv += second_dv_ - dv;
  }
  stage.time_s = step.before.time_s() + step.dt_s;
  double before = 0.0;
  for (int i = 0; i < kMaxNewtonSteps; ++i) {
    apply_prescribed_motion(model_, stage.time_s, trial.q.data(), trial.v.data());
    find_residual(step, past, start, trial, stage, dq, dv);
    const StepStatus status = accelerate(step, slopes, ws, trial, stage);
    if (status != StepStatus::kOk) return status;
    stage.q = trial.q;
    stage.v = trial.v;
    advance_configuration(model_, trial.q.data(), d_q_.data(), trial.q.data());
    trial.v += d_v_;
    const double change = d_v_.lpNorm<Eigen::Infinity>();
    dr_v_ += g_s_ * da_;
    dr_q_ += g_s_ * dr_v_;
    const bool is_last =
        i + 1 == kMaxNewtonSteps || !repeats_newton_step(i, change, before, trial.v.lpNorm<Eigen::Infinity>());
    before = change;
    // The stage keeps the place of the last evaluation, which the closing of loops asks for.
    MatrixX& end_dq = is_last ? to_start_ : stage.dq;
    if (is_last) end_dq = stage.dq;
    advance_slopes(model_, d_q_.data(), dr_q_, end_dq);
    if (!is_last) {
      stage.dv += dr_v_;
      continue;
    }
    dr_v_ += stage.dv;
    break;
  }
  second_dq_.swap(last_dq_);
  second_dv_.swap(last_dv_);
  last_dq_ = dq;
  last_dv_ = dv;
  dq = to_start_;
  dv = dr_v_;
  return StepStatus::kOk;
}

void ImplicitStepSlopes::predict(const Step& step, int past, const Trial& start, Trial& trial, Workspace& ws,
                                 const MatrixX& dq, const MatrixX& dv) noexcept {
  if (past == 0) {
    trial.v = start.v;
    increment_ = step.dt_s * start.v;
    d_increment_ = step.dt_s * dv;
    advance_configuration(model_, start.q.data(), increment_.data(), trial.q.data());
    acting_before_.update(model_, start.q.data(), start.v.data(), ws);
    acting_after_.update(model_, trial.q.data(), trial.v.data(), ws);
    if (!(acting_before_ == acting_after_)) return;
    trial = start;
    increment_.setZero();
    d_increment_.setZero();
    return;
  }
  const double weight = past > 1 ? -3.0 : -1.0;
  const PastStep last = past_step(model_, step.before, 1);
  configuration_difference(model_, start.q.data(), last.q.data(), increment_.data());
  increment_ *= weight;
  d_increment_ = weight * (last_dq_ - dq);
  trial.v = (1.0 - weight) * start.v + weight * last.v;
  if (past > 1) {
    const PastStep second_last = past_step(model_, step.before, 2);
    configuration_difference(model_, start.q.data(), second_last.q.data(), r_q_.data());
    increment_ += r_q_;
    d_increment_ += second_dq_ - dq;
    trial.v += second_last.v - start.v;
  }
  advance_configuration(model_, start.q.data(), increment_.data(), trial.q.data());
}

/// r_q and r_v, still without the accelerations, and their changes; steps with a past have scalar coordinates only.
void ImplicitStepSlopes::find_residual(const Step& step, int past, const Trial& start, const Trial& trial,
                                       const StageSlopes& stage, const MatrixX& dq, const MatrixX& dv) noexcept {
  configuration_difference(model_, trial.q.data(), start.q.data(), r_q_.data());
  back_ = -r_q_;
  dr_q_ = dq;
  difference_slopes(model_, r_q_.data(), dr_q_);
  to_start_ = stage.dq;
  difference_slopes(model_, back_.data(), to_start_);
  dr_q_ -= to_start_;
  r_v_ = start.v - trial.v;
  dr_v_ = dv - stage.dv;
  if (past > 0) {
    const PastStep last = past_step(model_, step.before, 1);
    configuration_difference(model_, start.q.data(), last.q.data(), back_.data());
    r_q_ -= (1.0 / 3.0) * back_;
    r_v_ -= (1.0 / 3.0) * (last.v - start.v);
    dr_q_ -= (1.0 / 3.0) * (last_dq_ - dq);
    dr_v_ -= (1.0 / 3.0) * (last_dv_ - dv);
  }
  r_q_ += g_s_ * trial.v;
  dr_q_ += g_s_ * stage.dv;
  for (const int i : model_.driven_speeds()) {
    r_q_[i] = r_v_[i] = 0.0;
    dr_q_.row(i).setZero();
    dr_v_.row(i).setZero();
  }
}

/// The same decision as the integrator's: in whose metric loops are closed follows from it.
bool ImplicitStepSlopes::is_local(const Step& step, const Trial& trial, const Workspace& ws) noexcept {
  if (!local_.update(model_, trial.q.data(), trial.v.data(), {g_s_, r_q_, r_v_}, ws)) return false;
  added_ = local_.inertia() + g_s_ * (step.loads.damping + g_s_ * step.loads.stiffness);
  for (const int i : model_.driven_speeds()) added_[i] = 0.0;
  if (!step.dynamics.takes_armature(added_)) return false;
  for (const JointBlock& block : local_.blocks()) {
    if (!block.is_full) continue;
    for (int i = 0; i < block.speeds; ++i) {
      if (is_coupled_[at(block.first + i)] != 0) return false;
    }
  }
  return true;
}

/// a into the workspace, d, and da_.
StepStatus ImplicitStepSlopes::accelerate(const Step& step, AccelerationSlopes& slopes, Workspace& ws,
                                          const Trial& trial, const StageSlopes& stage) noexcept {
  const Loads& loads = step.loads;
  const LoadSlopes& d_loads = step.d_loads;
  const double* q = trial.q.data();
  const double* v = trial.v.data();
  update_kinematics(model_, q, v, stage.time_s, ws);
  if (model_.has_loops()) update_loop_constraints(model_, q, v, stage.time_s, ws);
  add_forces(model_, q, v, loads, ws);
  ws.tau -= loads.damping.cwiseProduct(trial.v - loads.damping_from);
  tangent_.update(model_, q, v, ws);
  K_ = tangent_.K();
  C_ = tangent_.C();
  K_.diagonal() += loads.stiffness;
  C_.diagonal() += loads.damping;
  for (int i = 0; i < model_.nv(); ++i) {
    if (loads.stiffness[i] != 0.0) {
      ws.tau[i] -= loads.stiffness[i] * (trial.q[model_.coordinate(i).q] - loads.stiffness_from[i]);
    }
  }
  is_local_ = is_local(step, trial, ws);
  added_matrix_ = g_s_ * C_ + (g_s_ * g_s_) * K_;
  if (!slopes.factorize_with(q, v, added_matrix_, ws)) return StepStatus::kSingularMass;

  sum_loads(model_, ws, wrench_, up_);
  down_ = r_q_ + g_s_ * r_v_;
  up_ += ws.tau;
  up_.noalias() -= K_ * down_;
  up_.noalias() -= C_ * r_v_;
  required_acceleration(ws, required_);
  if (gamma_.size() > 0) constraint_values(model_, ws, required_, gamma_);
  slopes.solve(up_, gamma_, ws.vdot);
  d_v_ = r_v_ + g_s_ * ws.vdot;
  for (const int i : model_.driven_speeds()) {
    d_v_[i] = 0.0;
    ws.vdot[i] = ws.prescribed[i];
  }
  d_q_ = r_q_ + g_s_ * d_v_;
  update_body_accelerations(model_, ws);
  held_.noalias() = K_ * d_q_;
  held_.noalias() += C_ * d_v_;
  slopes.differentiate(q, v, loads, held_, ws);

  force_ = d_loads.tau;
  for (int i = 0; i < model_.nv(); ++i) {
    if (loads.stiffness[i] != 0.0) {
      const double way = trial.q[model_.coordinate(i).q] - loads.stiffness_from[i];
      force_.row(i) -= loads.stiffness[i] * (stage.dq.row(i) - d_loads.stiffness_from.row(i));
      force_.row(i) -= (way + d_q_[i]) * d_loads.stiffness.row(i);
    }
    if (loads.damping[i] != 0.0) {
      force_.row(i) -= loads.damping[i] * (stage.dv.row(i) - d_loads.damping_from.row(i));
      force_.row(i) -= (trial.v[i] - loads.damping_from[i] + d_v_[i]) * d_loads.damping.row(i);
    }
  }
  to_start_ = dr_q_ + g_s_ * dr_v_;
  force_.noalias() -= K_ * to_start_;
  force_.noalias() -= C_ * dr_v_;
  // The stage's place for the differences of K and C.
  moved_v_ = trial.v;
  moved_q_ = trial.q;
  subtract_tangents(d_q_, d_v_, stage, force_);
  if (step.parameters != nullptr) {
    step.parameters->subtract({q, v, stage.time_s, ws.vdot}, loads, d_q_, d_v_, force_);
  }
  slopes.accelerations(stage.dq, stage.dv, force_, da_);
  for (const int i : model_.driven_speeds()) da_.row(i).setZero();
  return StepStatus::kOk;
}

void ImplicitStepSlopes::subtract_tangents(const VectorX& x, const VectorX& y, const StageSlopes& stage,
                                           MatrixX& force) noexcept {
  for (int i = 0; i < model_.nv(); ++i) {
    const double slope = joint_damping_slope(model_.coordinate(i), moved_v_[i]);
    if (slope != 0.0) force.row(i) -= (slope * y[i]) * stage.dv.row(i);
  }
  if (!has_elements_) return;
  const VectorX& q = moved_q_;
  const VectorX& v = moved_v_;
  const auto at_place = [&](const VectorX& change_q, double by_q, const MatrixX& dv, Eigen::Index c, double by_v,
                            VectorX& value) {
    back_ = by_q * change_q;
    advance_configuration(model_, q.data(), back_.data(), trial_q_.data());
    trial_v_ = v;
    if (by_v != 0.0) trial_v_ += by_v * dv.col(c);
    update_kinematics(model_, trial_q_.data(), trial_v_.data(), stage.time_s, moved_ws_);
    moved_tangents_.update_elements(model_, trial_q_.data(), trial_v_.data(), x, y, moved_ws_);  // joints are above
    value = moved_tangents_.value();
  };
  for (Eigen::Index c = 0; c < force.cols(); ++c) {
    up_ = stage.dq.col(c);
    if (const double most = up_.lpNorm<Eigen::Infinity>(); most > 0.0) {
      const double h = kTangentStep / most;
      change_ = up_;
      at_place(change_, h, stage.dv, c, 0.0, up_);
      at_place(change_, -h, stage.dv, c, 0.0, down_);
      force.col(c) -= (0.5 / h) * (up_ - down_);
    }
    if (const double most = stage.dv.col(c).lpNorm<Eigen::Infinity>(); most > 0.0) {
      const double h = kTangentStep / most;
      at_place(no_change_, 0.0, stage.dv, c, h, up_);
      at_place(no_change_, 0.0, stage.dv, c, -h, down_);
      force.col(c) -= (0.5 / h) * (up_ - down_);
    }
  }
}

void ImplicitStepSlopes::subtract_metric(const VectorX& s, const StageSlopes& stage, const LoadSlopes& d_loads,
                                         ParameterForces* parameters, MatrixX& force) noexcept {
  if (!is_local_) return;
  r_v_ = g_s_ * s;
  r_q_ = g_s_ * r_v_;
  moved_q_ = stage.q;
  moved_v_ = stage.v;
  subtract_tangents(r_q_, r_v_, stage, force);
  for (int i = 0; i < model_.nv(); ++i) {
    force.row(i) -= r_q_[i] * d_loads.stiffness.row(i) + r_v_[i] * d_loads.damping.row(i);
  }
  if (parameters != nullptr) {
    parameters->subtract_tangents(stage.q.data(), stage.v.data(), stage.time_s, r_q_, r_v_, force);
  }
}

}  // namespace kinloop
