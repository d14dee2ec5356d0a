// The chain rule through the stages, then through the closing of loops.
#include "core/derivatives/step_slopes.hpp"

#include <array>

#include "core/base/at.hpp"
#include "core/derivatives/rotation_slopes.hpp"
#include "core/kinematics/configuration.hpp"
#include "core/kinematics/forward_kinematics.hpp"
#include "core/kinematics/loop_constraints.hpp"
#include "core/model/free_speeds.hpp"

namespace kinloop {
namespace {

/// Multi-step methods make their first step by the classical one.
std::span<const RungeKuttaStage> stages_of(std::string_view integrator) noexcept {
  if (integrator == "rk4" || integrator.starts_with("ab")) return kClassicalStages;
  if (integrator == "heun") return kHeunStages;
  return {};
}

constexpr std::string_view kImplicitIntegrator = "linearly_implicit";

}  // namespace

std::string StepSlopes::refusal(std::string_view integrator) {
  if (!stages_of(integrator).empty()) return {};
  if (integrator == kImplicitIntegrator || integrator == "semi_implicit_euler") return {};
  return "integrator " + std::string(integrator);
}

StepSlopes::StepSlopes(const Model& model, std::string_view integrator, const Stabilization& stabilization)
    : model_(model),
      stages_(stages_of(integrator)),
      is_implicit_(integrator == kImplicitIntegrator),
      stabilization_(stabilization),
      slopes_(model),
      implicit_(model),
      rotation_(model),
      motion_(model),
      lack_(model),
      end_loops_(model),
      free_(free_speeds(model)),
      ws_(model),
      end_ws_(model),
      start_(model),
      trial_(model),
      stage_(model),
      increment_(VectorX::Zero(model.nv())),
      rate_(increment_),
      increment_sum_(increment_),
      velocity_sum_(increment_),
      no_vdot_(increment_),
      change_(increment_),
      multipliers_(VectorX::Zero(constraint_rows(model))),
      C_(MatrixX::Zero(constraint_rows(model), model.nv())),
      end_(static_cast<Eigen::Index>(free_.size())) {
  if (stabilization.kind == StabilizationKind::kBaumgarte) ws_.baumgarte = stabilization.baumgarte;
}

void StepSlopes::set_independent(const std::vector<char>& independent) noexcept {
  slopes_.set_independent(independent);
}

StepStatus StepSlopes::advance(const Step& step, From from, MatrixX& dq, MatrixX& dv) noexcept {
  if (stage_.dq.cols() != dq.cols()) {
    for (MatrixX* matrix :
         {&stage_.dq, &stage_.dv, &dtau_, &da_, &d_increment_, &d_rate_, &d_increment_sum_, &d_velocity_sum_}) {
      matrix->resize(model_.nv(), dq.cols());
    }
  }
  if (from == From::kUnits && !runs_units()) {
    dq.setZero();
    dv.setZero();
    for (Eigen::Index i = 0; i < model_.nv(); ++i) dq(i, i) = dv(i, model_.nv() + i) = 1.0;
  }
  step.dynamics.begin_step(step.before);
  begin_step(model_, step.before, start_);
  StepStatus status = StepStatus::kOk;
  if (is_implicit_) {
    status = implicit_.run({step.before, step.loads, step.d_loads, step.dt_s, step.dynamics, parameters_}, slopes_, ws_,
                           start_, trial_, stage_, dq, dv);
  } else {
    status = stages_.empty() ? run_euler(step, from, dq, dv) : run_stages(step, from, dq, dv);
  }
  step.dynamics.release_basis();
  if (status != StepStatus::kOk) return status;
  if (!model_.has_loops() || stabilization_.kind != StabilizationKind::kProjection) return StepStatus::kOk;
  return project(step, dq, dv);
}

const MatrixX& StepSlopes::d_forces(const Step& step, double time_s, const Trial& at) noexcept {
  if (parameters_ == nullptr) return step.d_loads.tau;
  dtau_ = step.d_loads.tau;
  parameters_->subtract({at.q.data(), at.v.data(), time_s, ws_.vdot}, step.loads, dtau_);
  return dtau_;
}

void StepSlopes::accelerate(const Step& step, double time_s, const Trial& at, From from, const MatrixX& dq,
                            const MatrixX& dv) noexcept {
  const MatrixX& dtau = d_forces(step, time_s, at);
  if (from == From::kUnits) {
    slopes_.unit_accelerations(dtau, step.d_loads.forces, 1.0, da_);
  } else {
    slopes_.accelerations(dq, dv, dtau, da_);
  }
}

void StepSlopes::run_units(const Step& step, MatrixX& dq, MatrixX& dv) noexcept {
  const Eigen::Index n = model_.nv();
  slopes_.unit_accelerations(d_forces(step, stage_.time_s, start_), step.d_loads.forces, step.dt_s, dv);
  for (Eigen::Index i = 0; i < n; ++i) dv(i, n + i) += 1.0;
  dq = step.dt_s * dv;
  for (Eigen::Index i = 0; i < n; ++i) dq(i, i) += 1.0;
}

StepStatus StepSlopes::run_stages(const Step& step, From from, MatrixX& dq, MatrixX& dv) noexcept {
  const double dt_s = step.dt_s;
  trial_.q = start_.q;
  trial_.v = start_.v;
  stage_.dq = dq;
  stage_.dv = dv;
  increment_.setZero();
  increment_sum_.setZero();
  velocity_sum_.setZero();
  d_increment_.setZero();
  d_increment_sum_.setZero();
  d_velocity_sum_.setZero();
  bool is_first = true;
  for (const auto& [node, weight] : stages_) {
    if (!is_first) {
      increment_ = (node * dt_s) * rate_;
      trial_.v = start_.v + (node * dt_s) * ws_.vdot;
      advance_configuration(model_, start_.q.data(), increment_.data(), trial_.q.data());
      d_increment_ = (node * dt_s) * d_rate_;
      stage_.dv = dv + (node * dt_s) * da_;
      stage_.dq = dq;
      advance_slopes(model_, increment_.data(), d_increment_, stage_.dq);
    }
    is_first = false;
    stage_.time_s = step.before.time_s() + node * dt_s;
    const StepStatus status = evaluate_stage(model_, stage_.time_s, step.loads, step.dynamics, trial_, ws_);
    if (status != StepStatus::kOk) return status;
    if (!slopes_.update(trial_.q.data(), trial_.v.data(), step.loads, ws_)) return StepStatus::kSingularMass;
    stage_.q = trial_.q;
    accelerate(step, stage_.time_s, trial_, from, stage_.dq, stage_.dv);
    from = From::kAny;
    increment_rate(model_, increment_.data(), trial_.v.data(), rate_.data());
    increment_rate_slopes(model_, increment_.data(), trial_.v.data(), d_increment_, stage_.dv, d_rate_);
    increment_sum_ += (weight * dt_s) * rate_;
    velocity_sum_ += (weight * dt_s) * ws_.vdot;
    d_increment_sum_ += (weight * dt_s) * d_rate_;
    d_velocity_sum_ += (weight * dt_s) * da_;
  }
  trial_.v = start_.v + velocity_sum_;
  advance_configuration(model_, start_.q.data(), increment_sum_.data(), trial_.q.data());
  dv += d_velocity_sum_;
  advance_slopes(model_, increment_sum_.data(), d_increment_sum_, dq);
  return StepStatus::kOk;
}

StepStatus StepSlopes::run_euler(const Step& step, From from, MatrixX& dq, MatrixX& dv) noexcept {
  const double dt_s = step.dt_s;
  stage_.time_s = step.before.time_s();
  const StepStatus status = evaluate_stage(model_, stage_.time_s, step.loads, step.dynamics, start_, ws_);
  if (status != StepStatus::kOk) return status;
  if (!slopes_.update(start_.q.data(), start_.v.data(), step.loads, ws_)) return StepStatus::kSingularMass;
  if (model_.has_loops()) {
    stage_.q = start_.q;
    stage_.dq = dq;
  }
  const bool are_units = from == From::kUnits && runs_units();
  if (are_units) {
    run_units(step, dq, dv);
  } else {
    accelerate(step, stage_.time_s, start_, from, dq, dv);
  }
  trial_.v = start_.v + dt_s * ws_.vdot;
  increment_sum_ = dt_s * trial_.v;
  if (!rotation_.drift(model_, ws_, start_.v.data(), dt_s, trial_.v.data(), increment_sum_.data())) {
    return StepStatus::kDiverged;
  }
  advance_configuration(model_, start_.q.data(), increment_sum_.data(), trial_.q.data());
  if (are_units) return StepStatus::kOk;
  if (rotation_.is_empty()) {
    dv += dt_s * da_;
    d_increment_ = dt_s * dv;
  } else {
    d_rate_ = dv + dt_s * da_;
    d_increment_ = dt_s * d_rate_;
    rotation_.differentiate(model_, ws_, start_.v.data(), dt_s, {dq, dv, da_}, d_rate_, d_increment_);
    dv = d_rate_;
  }
  advance_slopes(model_, increment_sum_.data(), d_increment_, dq);
  return StepStatus::kOk;
}

void StepSlopes::find_lack(const Step& step, const VectorX& x) noexcept {
  slopes_.multipliers_of(metric(), x, multipliers_);
  motion_.update(model_, stage_.q.data(), no_vdot_.data(), x.data(), Vec3(), ws_);
  lack_.update(motion_, ws_);
  end_loops_.add_forces(motion_, ws_, multipliers_, lack_);
  force_.resize(model_.nv(), stage_.dq.cols());
  force_.noalias() = -lack_.by_q() * stage_.dq;
  if (parameters_ != nullptr) parameters_->subtract_inertia(stage_.q.data(), stage_.time_s, x, force_);
  if (is_implicit_) implicit_.subtract_metric(x, stage_, step.d_loads, parameters_, force_);
}

/// Rows: D^T M of the last evaluation, then the constraints C at the end.
bool StepSlopes::fill_end_equations(const MatrixX& C) noexcept {
  const MatrixX& D = slopes_.dofs();
  const MatrixX& M = metric();
  const auto n = static_cast<Eigen::Index>(free_.size());
  MatrixX& A = end_.matrix();
  for (Eigen::Index j = 0; j < n; ++j) {
    for (Eigen::Index a = 0; a < D.cols(); ++a) A(a, j) = D.col(a).dot(M.col(free_[at(j)]));
    Eigen::Index row = D.cols();
    for (Eigen::Index r = 0; r < C.rows(); ++r) {
      if (slopes_.is_pivot_row()[at(r)] != 0) A(row++, j) = C(r, free_[at(j)]);
    }
  }
  return end_.factorize(n);
}

/// From force_ and right_ (one row per row of C) the change that has both.
void StepSlopes::solve_end(const MatrixX& C, MatrixX& change) noexcept {
  const MatrixX& D = slopes_.dofs();
  full_.resize(static_cast<Eigen::Index>(free_.size()), force_.cols());
  full_.topRows(D.cols()).noalias() = D.transpose() * force_;
  Eigen::Index row = D.cols();
  for (Eigen::Index r = 0; r < C.rows(); ++r) {
    if (slopes_.is_pivot_row()[at(r)] != 0) full_.row(row++) = right_.row(r);
  }
  end_.solve(full_);
  change.setZero();
  for (std::size_t j = 0; j < free_.size(); ++j) change.row(free_[j]) = full_.row(static_cast<Eigen::Index>(j));
}

StepStatus StepSlopes::project(const Step& step, MatrixX& dq, MatrixX& dv) noexcept {
  const State& after = step.after;
  apply_prescribed_motion(model_, after.time_s(), trial_.q.data(), trial_.v.data());
  update_kinematics(model_, after.q().data(), after.v().data(), after.time_s(), end_ws_);
  update_loop_constraints(model_, after, end_ws_);
  constraint_matrix(model_, end_ws_, C_);
  motion_.update(model_, after.q().data(), after.v().data(), no_vdot_.data(), Vec3(), end_ws_);
  end_loops_.update(motion_, end_ws_);
  if (!fill_end_equations(C_)) return StepStatus::kSingularMass;
  right_.resize(C_.rows(), dq.cols());

  configuration_difference(model_, trial_.q.data(), after.q().data(), change_.data());
  da_.setZero();
  advance_slopes(model_, change_.data(), da_, dq);
  find_lack(step, change_);
  right_.noalias() = -C_ * dq;
  solve_end(C_, da_);
  dq += da_;

  change_ = after.v() - trial_.v;
  find_lack(step, change_);
  right_.noalias() = -C_ * dv;
  right_.noalias() -= end_loops_.rate_by_q() * dq;
  solve_end(C_, da_);
  dv += da_;
  return StepStatus::kOk;
}

}  // namespace kinloop
