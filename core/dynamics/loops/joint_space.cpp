// Implements the solution along the tree, and its projection onto the closed loops.
#include "core/dynamics/loops/joint_space.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/at.hpp"
#include "core/constraints/rank_tolerance.hpp"
#include "core/constraints/sample_positions.hpp"
#include "core/dynamics/inverse_dynamics.hpp"
#include "core/math/tree_factorization.hpp"

namespace kinloop {
JointSpace::JointSpace(const Model& model)
    : tree_(model),
      M_(MatrixX::Zero(tree_.size(), tree_.size())),
      h_(VectorX::Zero(tree_.size())),
      root_D_(VectorX::Zero(tree_.size())),
      C_(MatrixX::Zero(constraint_rows(model), model.nv())),
      typical_(typical_row_sizes(model)),
      size_(VectorX::Zero(C_.rows())),
      measure_(model),
      referee_(model),
      qr_(tree_.size(), C_.rows()),
      required_(model),
      kept_(model),
      gamma_(VectorX::Zero(C_.rows())),
      y_(VectorX::Zero(tree_.size())) {
  qr_.group() = measure_.group;
}

StepStatus JointSpace::solve(const Model& model, Workspace& ws) noexcept {
  if (!factorize_tree(tree_.parent, M_, root_D_)) return StepStatus::kSingularMass;
  if (C_.rows() == 0) {
    solve_tree(tree_.parent, M_, h_);
  } else {
    factorize_constraints(model, ws);
    required_acceleration(ws, required_);
    kept_.values(required_, gamma_);
    constrained_solve(Rows::kPivots);
  }
  ws.vdot = ws.prescribed;
  for (int i = 0; i < tree_.size(); ++i) ws.vdot[tree_.speed[at(i)]] = h_[i];
  update_body_accelerations(model, ws);
  return StepStatus::kOk;
}

void JointSpace::project(const ConstraintTarget& motion, VectorX& step) noexcept {
  step.setZero();
  if (C_.rows() == 0) return;  // a closing joint that blocks nothing
  kept_.values(motion, gamma_);
  h_.setZero();
  constrained_solve(Rows::kAll);
  for (int i = 0; i < tree_.size(); ++i) step[tree_.speed[at(i)]] = h_[i];
}

void JointSpace::refine(const VectorX& tau, const ConstraintTarget& gap, VectorX& change) noexcept {
  change.setZero();
  for (int i = 0; i < tree_.size(); ++i) h_[i] = tau[tree_.speed[at(i)]];
  if (C_.rows() == 0) {
    solve_tree(tree_.parent, M_, h_);
  } else {
    balance_by_multipliers();
    kept_.values(gap, gamma_);
    constrained_solve(Rows::kPivots);
  }
  for (int i = 0; i < tree_.size(); ++i) change[tree_.speed[at(i)]] = h_[i];
}

/// D^-1/2 L^-T of a row of C, into a column of W. Returns the row's size, or 0 if it holds nothing.
double JointSpace::fill_column(const Model& model, const Workspace& ws, Eigen::Index row,
                               Eigen::Index column) noexcept {
  auto W = qr_.matrix().col(column);
  double size = 0.0;
  for (int i = 0; i < tree_.size(); ++i) {
    const int speed = tree_.speed[at(i)];
    W[i] = measure_.scale[row] * C_(row, speed);
    if (W[i] != 0.0) size = std::max(size, std::abs(W[i]) / speed_size(ws, speed, model.length_m()));
  }
  if (!(size > kRankTolerance)) return 0.0;
  for (int k = tree_.size() - 1; k >= 0; --k) {
    const double x = W[k];
    if (x == 0.0) continue;
    for (int i = tree_.parent[at(k)]; i >= 0; i = tree_.parent[at(i)]) W[i] -= M_(k, i) * x;
    W[k] = x / root_D_[k];
  }
  return size;
}

void JointSpace::factorize_constraints(const Model& model, const Workspace& ws) noexcept {
  kept_.keep(ws);
  constraint_matrix(model, ws, C_);
  for (int i = 0; i < tree_.size(); ++i) root_D_[i] = std::sqrt(M_(i, i));
  if (!held_) {
    decide_rank(model, ws);
    least_share_ = qr_.smallest_share();
    is_singular_ = is_rank_lost(model, qr_.rank());
    quality_ = qr_.smallest_singular_value();
    for (Eigen::Index r = 0; r < C_.rows(); ++r) {
      if (typical_[r] > kRankTolerance) quality_ = std::min(quality_, size_[r] / (measure_.scale[r] * typical_[r]));
    }
    return;
  }
  for (int i = 0; i < qr_.columns(); ++i) {
    if (qr_.counts(i)) fill_column(model, ws, qr_.pivot(i), i);
  }
  qr_.refactorize(kSmallestPivotShare);
  if (qr_.smallest_share() < kWeakened * least_share_) {
    factorize_afresh(model, ws, {kSmallestPivotShare, {.most = qr_.rank()}});
  }
}

/// At the start of a step.
void JointSpace::decide_rank(const Model& model, const Workspace& ws) noexcept {
  factorize_afresh(model, ws, rank_rule(model, ws));
  // Where the usual rank is not known, both sides of the decision may be wrong.
  const bool knows_rank = model.generic_rank().all >= 0;
  const bool is_lost = is_rank_lost(model, qr_.rank());
  const bool is_doubtful = ((is_lost || !knows_rank) && RankReferee::is_doubtful(qr_.largest_left())) ||
                           ((!is_lost || !knows_rank) && RankReferee::is_doubtful(qr_.smallest_share()));
  if (!is_doubtful || !referee_.is_called(ws)) return;
  const int rank = referee_.rank(model, ws);
  if (rank != qr_.rank()) factorize_afresh(model, ws, {kSmallestPivotShare, {.most = rank}});
}

/// Pivots are sought among all rows.
void JointSpace::factorize_afresh(const Model& model, const Workspace& ws, const RankRule& rule) noexcept {
  for (Eigen::Index r = 0; r < C_.rows(); ++r) {
    size_[r] = fill_column(model, ws, r, r);
    qr_.active()[at(r)] = size_[r] > 0.0 ? 1 : 0;
  }
  qr_.factorize(rule.tolerance, rule.rank);
}

/// Takes what the rows that count can carry out of h: W lambda = R lambda in the first entries of Q^T D^-1/2 L^-T h.
void JointSpace::balance_by_multipliers() noexcept {
  y_ = h_;
  weigh(y_);
  qr_.apply_transposed(y_);
  qr_.solve(y_);
  for (int r = 0; r < qr_.rank(); ++r) {
    const int row = qr_.pivot(r);
    const double multiplier = measure_.scale[row] * y_[r];
    for (int i = 0; i < tree_.size(); ++i) h_[i] -= C_(row, tree_.speed[at(i)]) * multiplier;
  }
}

/// y = D^-1/2 L^-T y.
void JointSpace::weigh(VectorX& y) const noexcept {
  for (int k = tree_.size() - 1; k >= 0; --k) {
    for (int i = tree_.parent[at(k)]; i >= 0; i = tree_.parent[at(i)]) y[i] -= M_(k, i) * y[k];
    y[k] /= root_D_[k];
  }
}

/// h becomes the solution for the row values gamma.
void JointSpace::constrained_solve(Rows rows) noexcept {
  const int n = tree_.size();
  y_ = h_;
  weigh(y_);
  qr_.apply_transposed(y_);
  gamma_.array() *= measure_.scale.array();
  if (rows == Rows::kAll) {
    qr_.satisfy_all(gamma_, y_);
  } else {
    qr_.satisfy(gamma_, y_);
  }
  qr_.apply(y_);
  for (int k = 0; k < n; ++k) {  // h = L^-1 D^-1/2 y
    h_[k] = y_[k] / root_D_[k];
    for (int i = tree_.parent[at(k)]; i >= 0; i = tree_.parent[at(i)]) h_[k] -= M_(k, i) * h_[i];
  }
}

}  // namespace kinloop
