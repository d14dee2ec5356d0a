// Derivatives of the parts, then one factorization of the whole.
#include "core/derivatives/acceleration_slopes.hpp"

#include <algorithm>

#include "core/base/at.hpp"
#include "core/constraints/rank_tolerance.hpp"
#include "core/dynamics/inverse_dynamics.hpp"
#include "core/forces/force_element.hpp"
#include "core/math/cholesky.hpp"
#include "core/model/free_speeds.hpp"

namespace kinloop {

AccelerationSlopes::AccelerationSlopes(const Model& model)
    : model_(model),
      free_(free_speeds(model)),
      independents_(free_),
      is_pivot_row_(at(constraint_rows(model)), 0),
      motion_(model),
      tau_(model),
      loops_(model),
      C_(MatrixX::Zero(constraint_rows(model), model.nv())),
      dependents_(constraint_rows(model), static_cast<int>(free_.size())),
      D_(MatrixX::Zero(model.nv(), static_cast<Eigen::Index>(free_.size()))),
      MD_(D_),
      L_(MatrixX::Zero(D_.cols(), D_.cols())),
      W_(MatrixX::Zero(model.nv(), model.nv())),
      one_(VectorX::Zero(D_.cols())),
      held_(VectorX::Zero(model.nv())),
      residual_(VectorX::Zero(model.nv())),
      multipliers_(VectorX::Zero(C_.rows())),
      at_rest_(residual_),
      wrench_(at(model.body_count())) {
  if (C_.rows() == 0 && static_cast<int>(free_.size()) == model.nv()) {
    inverse_ = std::make_unique<InverseInertia>(model);
  }
}

void AccelerationSlopes::set_independent(const std::vector<char>& independent) noexcept {
  independents_.clear();
  for (std::size_t i = 0; i < free_.size(); ++i) {
    const bool is_free = independent[at(free_[i])] != 0;
    if (is_free) independents_.push_back(free_[i]);
    dependents_.set_role(static_cast<int>(i), is_free ? UnknownRole::kIndependent : UnknownRole::kEither);
  }
  const auto k = static_cast<Eigen::Index>(independents_.size());
  D_ = MatrixX::Zero(model_.nv(), k);
  MD_ = D_;
  L_ = MatrixX::Zero(k, k);
  one_ = VectorX::Zero(k);
  if (C_.rows() > 0) return;
  for (Eigen::Index a = 0; a < k; ++a) D_(independents_[at(a)], a) = 1.0;  // whatever the positions
}

bool AccelerationSlopes::update(const double* q, const double* v, const Loads& loads, const Workspace& ws) noexcept {
  has_added_ = false;
  add_derivatives(q, v, loads, ws);
  if (!factorize(ws)) return false;
  differentiate_loops(ws);
  return true;
}

bool AccelerationSlopes::factorize_with(const double* q, const double* v, const MatrixX& added,
                                        const Workspace& ws) noexcept {
  motion_.update(model_, q, v, at_rest_.data(), Vec3(), ws);
  tau_.update(motion_, ws);
  has_added_ = true;
  W_ = tau_.M() + added;
  held_.setZero();
  return factorize(ws);
}

void AccelerationSlopes::differentiate(const double* q, const double* v, const Loads& loads, const VectorX& held,
                                       const Workspace& ws) noexcept {
  add_derivatives(q, v, loads, ws);
  held_ = held;
  differentiate_loops(ws);
}

/// Of the forces along the speeds that the motion takes, loops open.
void AccelerationSlopes::add_derivatives(const double* q, const double* v, const Loads& loads,
                                         const Workspace& ws) noexcept {
  motion_.update(model_, q, v, ws.vdot.data(), Vec3(model_.gravity()), ws);
  tau_.update(motion_, ws);
  for (const ForceElementKind* kind : force_element_kinds()) kind->add_slopes(model_, q, v, ws, tau_);
  for (const ExternalWrench& wrench : loads.wrenches) {
    const Pose& frame = model_.body_frame(wrench.body);
    PairSlope pair;
    pair.body_b = wrench.body;
    pair.arm_b = ws.motion[at(wrench.body)].R * Vec3(Vector3(frame.p + frame.R * wrench.point));
    pair.moment = Vec3(wrench.moment);
    pair.force = Vec3(wrench.force);
    tau_.add(pair);
  }
}

void AccelerationSlopes::differentiate_loops(const Workspace& ws) noexcept {
  if (C_.rows() == 0) return;
  find_multipliers(ws);
  loops_.update(motion_, ws);
  loops_.add_forces(motion_, ws, multipliers_, tau_);
}

bool AccelerationSlopes::update_tangent(const double* q, const double* v, const Workspace& ws) noexcept {
  motion_.update(model_, q, v, at_rest_.data(), Vec3(), ws);
  loops_.update(motion_, ws);
  return find_dofs(ws);
}

/// D, and the solution for the dependents.
bool AccelerationSlopes::find_dofs(const Workspace& ws) noexcept {
  if (C_.rows() == 0) return true;
  const auto k = static_cast<Eigen::Index>(independents_.size());
  D_.setZero();
  for (Eigen::Index a = 0; a < k; ++a) D_(independents_[at(a)], a) = 1.0;
  constraint_matrix(model_, ws, C_);
  dependents_.clear();
  for (int r = 0; r < C_.rows(); ++r) {
    for (std::size_t j = 0; j < free_.size(); ++j) dependents_.row(r)[j] = C_(r, free_[j]);
  }
  for (std::size_t j = 0; j < free_.size(); ++j) {
    dependents_.set_size(static_cast<int>(j), speed_size(ws, free_[j], model_.length_m()));
  }
  const int wanted = static_cast<int>(free_.size()) - static_cast<int>(k);
  dependents_.start();
  dependents_.take_all(kRankTolerance, kRankTolerance, wanted);
  dependents_.keep();
  if (dependents_.rank() < wanted) return false;
  std::fill(is_pivot_row_.begin(), is_pivot_row_.end(), 0);
  for (int d = 0; d < dependents_.rank(); ++d) {
    const int row = free_[at(dependents_.dependent(d))];
    for (Eigen::Index a = 0; a < k; ++a) {
      const auto column = std::find(free_.begin(), free_.end(), independents_[at(a)]) - free_.begin();
      D_(row, a) = dependents_.T(d, static_cast<int>(column));
    }
    for (int r = 0; r < C_.rows(); ++r) {
      if (dependents_.J(d, r) != 0.0) is_pivot_row_[at(r)] = 1;
    }
  }
  return true;
}

bool AccelerationSlopes::factorize(const Workspace& ws) noexcept {
  if (is_open()) return inverse_->update(ws);
  if (!find_dofs(ws)) return false;
  const MatrixX& inertia = has_added_ ? W_ : tau_.M();
  if (C_.rows() > 0) {
    MD_.noalias() = inertia * D_;
    L_.noalias() = D_.transpose() * MD_;
  } else {
    const auto k = static_cast<Eigen::Index>(independents_.size());
    for (Eigen::Index a = 0; a < k; ++a) {
      for (Eigen::Index b = a; b < k; ++b) L_(b, a) = inertia(independents_[at(b)], independents_[at(a)]);
    }
  }
  return factorize_cholesky(L_);
}

/// The loops make up for what inverse dynamics leaves open.
void AccelerationSlopes::find_multipliers(const Workspace& ws) noexcept {
  joint_reactions(model_, ws, {}, wrench_);
  generalized_forces(model_, ws, wrench_, residual_);
  residual_ -= ws.tau;
  if (has_added_) residual_ += held_;
  multipliers_.setZero();
  for (int d = 0; d < dependents_.rank(); ++d) {
    const double force = residual_[free_[at(dependents_.dependent(d))]];
    for (int r = 0; r < C_.rows(); ++r) multipliers_[r] += dependents_.J(d, r) * force;
  }
}

void AccelerationSlopes::multipliers_of(const MatrixX& inertia, const VectorX& x, VectorX& l) const noexcept {
  l.setZero();
  for (int d = 0; d < dependents_.rank(); ++d) {
    const double force = inertia.row(free_[at(dependents_.dependent(d))]).dot(x);
    for (int r = 0; r < C_.rows(); ++r) l[r] += dependents_.J(d, r) * force;
  }
}

void AccelerationSlopes::dependents(const MatrixX& rows, MatrixX& x) const noexcept {
  x.setZero();
  for (int d = 0; d < dependents_.rank(); ++d) {
    auto to = x.row(free_[at(dependents_.dependent(d))]);
    for (int r = 0; r < C_.rows(); ++r) {
      if (const double share = dependents_.J(d, r); share != 0.0) to += share * rows.row(r);
    }
  }
}

void AccelerationSlopes::solve(const MatrixX& force, const MatrixX& rows, MatrixX& x) noexcept {
  if (is_open()) return inverse_->multiply(force, 1.0, x);
  const auto k = static_cast<Eigen::Index>(independents_.size());
  reduced_.resize(k, force.cols());
  if (C_.rows() > 0) {
    particular_.resize(force.rows(), force.cols());
    dependents(rows, particular_);
    reduced_.noalias() = D_.transpose() * force;
    reduced_.noalias() -= MD_.transpose() * particular_;
  } else {
    for (Eigen::Index a = 0; a < k; ++a) reduced_.row(a) = force.row(independents_[at(a)]);
  }
  L_.triangularView<Eigen::Lower>().solveInPlace(reduced_);
  L_.triangularView<Eigen::Lower>().transpose().solveInPlace(reduced_);
  if (C_.rows() > 0) {
    x = particular_;
    x.noalias() += D_ * reduced_;
  } else {
    x.setZero();
    for (Eigen::Index a = 0; a < k; ++a) x.row(independents_[at(a)]) = reduced_.row(a);
  }
}

void AccelerationSlopes::solve(const VectorX& force, const VectorX& rows, VectorX& x) noexcept {
  if (is_open()) {
    x.noalias() = inverse_->matrix().topRows(model_.nv()) * force;
    return;
  }
  const auto k = static_cast<Eigen::Index>(independents_.size());
  x.setZero();
  for (int d = 0; d < dependents_.rank(); ++d) {
    double& to = x[free_[at(dependents_.dependent(d))]];
    for (int r = 0; r < C_.rows(); ++r) to += dependents_.J(d, r) * rows[r];
  }
  if (C_.rows() > 0) {
    one_.noalias() = D_.transpose() * force;
    one_.noalias() -= MD_.transpose() * x;
  } else {
    for (Eigen::Index a = 0; a < k; ++a) one_[a] = force[independents_[at(a)]];
  }
  solve_lower(L_, one_);
  solve_lower_transposed(L_, one_);
  if (C_.rows() > 0) {
    x.noalias() += D_ * one_;
  } else {
    for (Eigen::Index a = 0; a < k; ++a) x[independents_[at(a)]] = one_[a];
  }
}

void AccelerationSlopes::unit_accelerations(const MatrixX& dtau, UnitForces forces, double scale,
                                            MatrixX& da) noexcept {
  const Eigen::Index n = model_.nv();
  inverse_->multiply(tau_.by_q(), -scale, da.leftCols(n));
  inverse_->multiply(tau_.by_v(), -scale, da.middleCols(n, n));
  const auto add = [&](Eigen::Index c) {
    for (Eigen::Index r = 0; r < n; ++r) {
      if (dtau(r, c) != 0.0) da.col(c) += (scale * dtau(r, c)) * inverse_->matrix().col(r).head(n);
    }
  };
  if (forces == UnitForces::kFollowMotion) {
    for (Eigen::Index c = 0; c < 2 * n; ++c) add(c);
  }
  for (Eigen::Index c = 2 * n; c < dtau.cols(); ++c) {
    int acting = 0;
    Eigen::Index along = 0;
    for (Eigen::Index r = 0; r < n; ++r) {
      const bool acts = dtau(r, c) != 0.0;
      acting += acts ? 1 : 0;
      along = acts ? r : along;
    }
    if (acting <= 1) {  // a force along one speed, as most commands are
      da.col(c) = (scale * dtau(along, c)) * inverse_->matrix().col(along).head(n);
    } else {
      da.col(c).setZero();
      add(c);
    }
  }
}

void AccelerationSlopes::accelerations(const MatrixX& dq, const MatrixX& dv, const MatrixX& dtau,
                                       MatrixX& da) noexcept {
  force_.resize(dq.rows(), dq.cols());
  force_ = dtau;
  force_.noalias() -= tau_.by_q() * dq;
  force_.noalias() -= tau_.by_v() * dv;
  rows_.resize(C_.rows(), dq.cols());
  if (C_.rows() > 0) {
    rows_.noalias() = -loops_.acceleration_by_q() * dq;
    rows_.noalias() -= loops_.acceleration_by_v() * dv;
  }
  solve(force_, rows_, da);
}

}  // namespace kinloop
