// A linearly implicit method for stiff springs, dampers, bushings, end stops: BDF2 with one Newton step, order 2,
// L-stable.
//
//   y = (q, v),  y' = f(t, y),  A = the part of d f / d y that comes from the force elements
//   p  = 3 y_0 - 3 y_-1 + y_-2                                 predicted
//   y_1 = p + (1 - g A)^-1 (c + g f(t_1, p) - p)               one Newton step for y_1 = c + g f(t_1, y_1)
//   c  = (4 y_0 - y_-1) / 3,  g = 2/3 h
//
// Order 2 for any A, since p is of order 2 (a W-method in this sense). One evaluation and one factorization a step; up
// to four where the Newton step leads far from p, after an impact. The
// prediction already follows the bends that stiff elements force on the motion; Rosenbrock methods, which leave along
// the tangent, lose their order there: a bob on a spring of 1e8 N/m is off by 1e-2 after 1 s with steps of 1 ms, here
// 5e-6.
//
// Without a past the step is implicit Euler from p = y_0, or y_0 + h (v_0, 0) where something begins or ceases to act
// on that way, with one sample of the past p = 2 y_0 - y_-1: one such step keeps order 2. After an end stop or a
// contact has begun or ceased to push, or a rope to pull, the past is forgotten: extrapolating over an impact would
// throw the joint back.
//
// With K, C from ForceTangent, A = [0 1; -M^-1 K, -M^-1 C], and one solve with W = M + g C + g^2 K gives
//   (1 - g A) d = r:  d_v = r_v - g W^-1 (C r_v + K (r_q + g r_v)),  d_q = r_q + g d_v.
// Loops take from W^-1 what would tear them open: the solution is sought among the motions they allow.
// Driven speeds have d = 0 and no part in W. Rotations are increments from the predicted configuration.
//
// Where all that is stiff acts within single joints, K and C are blocks of single joints and W is the inertia of the
// mechanism with g C + g^2 K more along their speeds, as a rotor adds it (joint_basis.hpp where a block is no
// diagonal): one evaluation by any recursion solves for
//   W a = F(p) - K r_q - (C + g K) (c_v - p_v),   d_v = c_v - p_v + g a,
// loops included, in O(n + m) and without a matrix. Otherwise, where an element reaches over several joints, W is
// assembled and factorized.
#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/at.hpp"
#include "core/constraints/constraints.hpp"
#include "core/constraints/rank_tolerance.hpp"
#include "core/constraints/row_measure.hpp"
#include "core/dynamics/mass_matrix.hpp"
#include "core/forces/acting_elements.hpp"
#include "core/forces/force_tangent.hpp"
#include "core/forces/local_tangent.hpp"
#include "core/integrators/history.hpp"
#include "core/integrators/joint_basis.hpp"
#include "core/integrators/methods.hpp"
#include "core/integrators/newton_repeats.hpp"
#include "core/kinematics/configuration.hpp"
#include "core/kinematics/forward_kinematics.hpp"
#include "core/kinematics/loop_constraints.hpp"
#include "core/math/cholesky.hpp"
#include "core/math/pivoted_qr.hpp"
#include "core/model/free_speeds.hpp"

namespace kinloop::integrators {
namespace {

/// Speeds that a coupling ties to others.
std::vector<char> coupled_speeds(const Model& model) {
  std::vector<char> is_coupled(at(model.nv()), 0);
  for (const Coupling& coupling : model.couplings()) {
    is_coupled[at(coupling.v_dependent)] = is_coupled[at(coupling.v_of)] = 1;
  }
  return is_coupled;
}

class LinearlyImplicit final : public Integrator {
 public:
  explicit LinearlyImplicit(const Model& model)
      : Integrator(model),
        free_(free_speeds(model)),
        local_(model),
        tangent_(model),
        composite_(at(model.body_count())),
        M_(MatrixX::Zero(model.nv(), model.nv())),
        W_(MatrixX::Zero(free_count(), free_count())),
        K_(MatrixX::Zero(model.nv(), model.nv())),
        C_(K_),
        reduced_(VectorX::Zero(free_count())),
        has_massless_(std::any_of(model.bodies().begin() + 1, model.bodies().end(),
                                  [](const BodyConstants& body) { return !(body.mass > 0.0); })),
        constraints_(MatrixX::Zero(constraint_rows(model), model.nv())),
        measure_(model),
        allowed_(free_count(), constraints_.rows()),
        acting_before_(model),
        acting_after_(model),
        basis_(model),
        is_coupled_(coupled_speeds(model)),
        start_(model),
        trial_(model),
        no_vdot_(VectorX::Zero(model.nv())),
        rotors_(Workspace(model).armature),
        added_(VectorX::Zero(model.nv())),
        r_q_(VectorX::Zero(model.nv())),
        r_v_(VectorX::Zero(model.nv())),
        increment_(VectorX::Zero(model.nv())),
        to_last_(VectorX::Zero(model.nv())),
        force_(VectorX::Zero(model.nv())) {
    allowed_.group() = measure_.group;
  }

  std::string_view name() const noexcept override { return kLinearlyImplicit.name; }
  bool takes_stiffness() const noexcept override { return true; }

 protected:
  StepStatus attempt(const Model& model, const Loads& loads, double dt_s, Dynamics& dynamics, State& state,
                     Workspace& ws) noexcept override {
    const int past = past_steps(state, HistoryKind::kStates, dt_s);
    const double g_s = past > 0 ? dt_s * (2.0 / 3.0) : dt_s;
    begin_step(model, state, start_);
    acting_before_.update(model, start_.q.data(), start_.v.data(), ws);
    predict(model, state, past, dt_s);
    if (past == 0) stay_unless_something_acts(model, ws);
    StepStatus status = StepStatus::kOk;
    double before = 0.0;
    for (int i = 0; i < kMaxNewtonSteps; ++i) {
      update_forces(model, state.time_s() + dt_s, loads, ws);
      residual(model, state, past, g_s, i == 0 ? From::kPrediction : From::kAnywhere);
      status = is_local(model, loads, g_s, dynamics, ws) ? solve_local(model, g_s, dynamics, ws)
                                                         : solve_all(model, loads, g_s, dynamics, ws);
      if (status != StepStatus::kOk) {
        return trial_.q.allFinite() && !has_diverged(model, trial_.v) ? status : StepStatus::kDiverged;
      }
      advance_configuration(model, trial_.q.data(), r_q_.data(), trial_.q.data());
      trial_.v += r_v_;
      const double change = r_v_.lpNorm<Eigen::Infinity>();
      if (!repeats_newton_step(i, change, before, trial_.v.lpNorm<Eigen::Infinity>())) break;
      before = change;
    }
    InJointBasis in_basis(basis_, dynamics);
    Dynamics& solver = basis_.is_empty() ? dynamics : in_basis;
    status = accept_step(model, dt_s, {loops(), solver, ws}, trial_, state);
    ws.armature = rotors_;
    acting_after_.update(model, trial_.q.data(), trial_.v.data(), ws);
    if (is_done(status) && acting_before_ == acting_after_) {
      remember_step(HistoryKind::kStates, start_, no_vdot_, past, dt_s, state);
    }
    return status;
  }

 private:
  Eigen::Index free_count() const noexcept { return static_cast<Eigen::Index>(free_.size()); }
  int speed_of(Eigen::Index row) const noexcept { return free_[at(row)]; }

  /// p, into the trial, and how it was got to from the start, into increment_.
  void predict(const Model& model, const State& state, int past, double dt_s) noexcept {
    if (past == 0) {
      trial_.v = start_.v;
      increment_ = dt_s * start_.v;
    } else {
      const double weight = past > 1 ? -3.0 : -1.0;
      const PastStep last = past_step(model, state, 1);
      configuration_difference(model, start_.q.data(), last.q.data(), to_last_.data());
      increment_ = weight * to_last_;
      trial_.v = (1.0 - weight) * start_.v + weight * last.v;
    }
    if (past > 1) {
      const PastStep second_last = past_step(model, state, 2);
      configuration_difference(model, start_.q.data(), second_last.q.data(), r_q_.data());
      increment_ += r_q_;
      trial_.v += second_last.v - start_.v;
    }
    advance_configuration(model, start_.q.data(), increment_.data(), trial_.q.data());
  }

  /// Without a past the prediction only serves to meet what begins to act within the step, an end stop or a rope. Where
  /// nothing does, the Newton step is made from the start, where stiff elements are as the motion left them: their
  /// forces after h v_0 would be those of a way that they do not let it go.
  void stay_unless_something_acts(const Model& model, Workspace& ws) noexcept {
    acting_after_.update(model, trial_.q.data(), trial_.v.data(), ws);
    if (!(acting_before_ == acting_after_)) return;
    trial_ = start_;
    increment_.setZero();
  }

  /// All that a formulation needs at p, driven speeds in place.
  void update_forces(const Model& model, double time_s, const Loads& loads, Workspace& ws) noexcept {
    apply_prescribed_motion(model, time_s, trial_.q.data(), trial_.v.data());
    update_kinematics(model, trial_.q.data(), trial_.v.data(), time_s, ws);
    if (model.has_loops()) update_loop_constraints(model, trial_.q.data(), trial_.v.data(), time_s, ws);
    add_forces(model, trial_.q.data(), trial_.v.data(), loads, ws);
    ws.tau -= loads.damping.cwiseProduct(trial_.v - loads.damping_from);
    for (int i = 0; i < model.nv(); ++i) {
      if (loads.stiffness[i] != 0.0) {
        ws.tau[i] -= loads.stiffness[i] * (trial_.q[model.coordinate(i).q] - loads.stiffness_from[i]);
      }
    }
  }

  /// Whether all that is stiff acts within single joints; then added_ is the diagonal of g C + g^2 K, the basis has the
  /// joints where there is more than a diagonal, and force_ is K r_q + (C + g K) r_v.
  bool is_local(const Model& model, const Loads& loads, double g_s, const Dynamics& dynamics,
                const Workspace& ws) noexcept {
    basis_.clear();
    added_.setZero();
    if (!local_.update(model, trial_.q.data(), trial_.v.data(), {g_s, r_q_, r_v_}, ws)) return false;
    added_ = local_.inertia() + g_s * (loads.damping + g_s * loads.stiffness);
    force_ = local_.force() + loads.stiffness.cwiseProduct(r_q_) +
             (loads.damping + g_s * loads.stiffness).cwiseProduct(r_v_);
    for (const int i : model.driven_speeds()) added_[i] = 0.0;
    if (dynamics.takes_armature(added_) && find_basis(model)) return true;
    basis_.clear();
    added_.setZero();
    return false;
  }

  /// False where a coupling is about a single one of the speeds that the basis would mix.
  bool find_basis(const Model& model) noexcept {
    for (JointBlock& block : local_.blocks()) {
      if (!block.is_full) continue;
      JointMatrix& B = block.inertia;
      for (int i = 0; i < block.speeds; ++i) {
        const int speed = block.first + i;
        if (is_coupled_[at(speed)] != 0) return false;
        if (model.coordinate(speed).motion >= 0) {
          B.row(i).setZero();
          B.col(i).setZero();
        }
        B(i, i) = rotors_[speed] + added_[speed];
      }
      basis_.add(block.first, block.speeds, B);
    }
    return true;
  }

  /// r becomes d, by one evaluation with the inertia W.
  StepStatus solve_local(const Model& model, double g_s, Dynamics& dynamics, Workspace& ws) noexcept {
    ws.armature = rotors_ + added_;
    ws.tau -= force_;
    basis_.enter(ws);
    const StepStatus status = dynamics.solve(model, ws);
    if (status != StepStatus::kOk) {
      ws.armature = rotors_;
      return status;
    }
    basis_.leave(ws.vdot);
    r_v_ += g_s * ws.vdot;
    for (const int i : model.driven_speeds()) r_v_[i] = 0.0;
    r_q_ += g_s * r_v_;
    return StepStatus::kOk;
  }

  /// The same with matrices.
  StepStatus solve_all(const Model& model, const Loads& loads, double g_s, Dynamics& dynamics, Workspace& ws) noexcept {
    const StepStatus status = dynamics.solve(model, ws);
    if (status != StepStatus::kOk) return status;
    if (!factorize(model, loads, g_s, ws)) return M_.allFinite() ? StepStatus::kSingularMass : StepStatus::kDiverged;
    r_v_ += g_s * ws.vdot;
    for (const int i : model.driven_speeds()) r_v_[i] = 0.0;
    project(g_s);
    return StepStatus::kOk;
  }

  /// W = M + g C + g^2 K at p, and its factor.
  bool factorize(const Model& model, const Loads& loads, double g_s, const Workspace& ws) noexcept {
    tangent_.update(model, trial_.q.data(), trial_.v.data(), ws);
    K_ = tangent_.K();
    K_.diagonal() += loads.stiffness;
    C_ = tangent_.C();
    C_.diagonal() += loads.damping;
    mass_matrix(model, ws, composite_, M_);
    for (Eigen::Index c = 0; c < free_count(); ++c) {
      for (Eigen::Index r = c; r < free_count(); ++r) {
        const int i = speed_of(r);
        const int j = speed_of(c);
        W_(r, c) = M_(i, j) + g_s * (C_(i, j) + g_s * K_(i, j));
      }
    }
    if (!model.has_loops()) return factorize_cholesky(W_);
    constraint_matrix(model, ws, constraints_);
    if (has_massless_) add_blocked_inertia();
    if (!factorize_cholesky(W_)) return false;
    factorize_loops(model, ws);
    return true;
  }

  /// Massless bodies move no inertia while the loops are open. Any inertia along what the loops block makes W regular
  /// and changes nothing about a solution among the motions that they allow: W + m C^T C.
  void add_blocked_inertia() noexcept {
    double inertia = 0.0;
    double rows = 0.0;
    for (Eigen::Index i = 0; i < free_count(); ++i) {
      inertia += W_(i, i);
      rows += constraints_.col(speed_of(i)).squaredNorm();
    }
    if (!(rows > 0.0)) return;
    const double m = inertia / rows;
    for (Eigen::Index c = 0; c < free_count(); ++c) {
      for (Eigen::Index r = c; r < free_count(); ++r) {
        W_(r, c) += m * constraints_.col(speed_of(r)).dot(constraints_.col(speed_of(c)));
      }
    }
  }

  /// With W = L L^T: the columns of L^-1 C^T, which L^T d_v must not touch.
  void factorize_loops(const Model& model, const Workspace& ws) noexcept {
    for (Eigen::Index r = 0; r < constraints_.rows(); ++r) {
      double size = 0.0;
      for (Eigen::Index i = 0; i < free_count(); ++i) {
        reduced_[i] = measure_.scale[r] * constraints_(r, speed_of(i));
        size = std::max(size, std::abs(reduced_[i]) / speed_size(ws, speed_of(i), model.length_m()));
      }
      allowed_.active()[at(r)] = size > kRankTolerance ? 1 : 0;
      solve_lower(W_, reduced_);
      allowed_.matrix().col(r) = reduced_;
    }
    const RankRule rule = rank_rule(model, ws);
    allowed_.factorize(rule.tolerance, rule.rank);
  }

  enum class From { kPrediction, kAnywhere };

  /// r = c + g f(p) - p, in increments from p, still without the accelerations. How far the prediction is from the
  /// samples is known from how it was made.
  void residual(const Model& model, const State& state, int past, double g_s, From from) noexcept {
    if (from == From::kPrediction) {
      r_q_ = -increment_;
    } else {
      configuration_difference(model, trial_.q.data(), start_.q.data(), r_q_.data());
    }
    r_v_ = start_.v;
    if (past > 0) {
      const PastStep last = past_step(model, state, 1);
      if (from == From::kPrediction) {
        increment_between(model, increment_, to_last_, force_);
      } else {
        configuration_difference(model, trial_.q.data(), last.q.data(), force_.data());
      }
      r_q_ = (4.0 / 3.0) * r_q_ - (1.0 / 3.0) * force_;
      r_v_ = (4.0 / 3.0) * r_v_ - (1.0 / 3.0) * last.v;
    }
    r_q_ += g_s * trial_.v;
    r_v_ -= trial_.v;
    for (const int i : model.driven_speeds()) r_q_[i] = r_v_[i] = 0.0;
  }

  /// r becomes d.
  void project(double g_s) noexcept {
    increment_ = r_q_ + g_s * r_v_;
    force_.noalias() = C_ * r_v_;
    force_.noalias() += K_ * increment_;
    for (Eigen::Index r = 0; r < free_count(); ++r) reduced_[r] = force_[speed_of(r)];
    solve_lower(W_, reduced_);
    if (constraints_.rows() > 0) {
      allowed_.apply_transposed(reduced_);
      reduced_.head(allowed_.rank()).setZero();
      allowed_.apply(reduced_);
    }
    solve_lower_transposed(W_, reduced_);
    for (Eigen::Index r = 0; r < free_count(); ++r) r_v_[speed_of(r)] -= g_s * reduced_[r];
    r_q_ += g_s * r_v_;
  }

  std::vector<int> free_;
  LocalTangent local_;
  ForceTangent tangent_;
  std::vector<CompositeInertia> composite_;
  MatrixX M_, W_;
  MatrixX K_, C_;  // with those of the loads
  VectorX reduced_;
  bool has_massless_;
  MatrixX constraints_;
  RowMeasure measure_;
  PivotedQr allowed_;                            // of the loops' constraints, in the metric of W
  ActingElements acting_before_, acting_after_;  // at both ends of the step
  JointBasis basis_;
  std::vector<char> is_coupled_;
  Trial start_, trial_;
  VectorX no_vdot_;
  VectorX rotors_;     // the model's own armature
  VectorX added_;      // to it, during a step
  VectorX r_q_, r_v_;  // r, then d
  VectorX increment_;  // from the start to p
  VectorX to_last_;    // from the start to the sample before it
  VectorX force_;
};

}  // namespace

constinit const IntegratorKind kLinearlyImplicit{
    "linearly_implicit",
    "one evaluation, order 2, for stiff springs, dampers, drives and end stops",
    2,
    1,
    kNoLimit,
    kNoLimit,
    [](const Model& model) -> std::unique_ptr<Integrator> { return std::make_unique<LinearlyImplicit>(model); }};

}  // namespace kinloop::integrators
