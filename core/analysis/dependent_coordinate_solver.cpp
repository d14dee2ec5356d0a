// Newton's method with the pseudo-inverse of the dependents' columns: redundant rows are ordinary input.
#include "core/analysis/dependent_coordinate_solver.hpp"

#include "core/constraints/constraint_rank.hpp"
#include "core/kinematics/configuration.hpp"
#include "core/kinematics/forward_kinematics.hpp"
#include "core/kinematics/loop_constraints.hpp"
#include "core/math/least_squares.hpp"

namespace kinloop {
namespace {

constexpr int kMaxIterations = 30;
constexpr double kClosed = 1e-15;      // no better is possible
constexpr double kGoodEnough = 1e-12;  // where rounding stops the last digits: rad, or lengths; per second, relative

}  // namespace

DependentCoordinateSolver::DependentCoordinateSolver(const Model& model, const std::vector<char>& held)
    : model_(model),
      ws_(model),
      motion_(model),
      C_(constraint_rows(model), model.nv()),
      g_(constraint_rows(model)),
      at_rest_(VectorX::Zero(model.nv())) {
  for (int i = 0; i < model.nv(); ++i) {
    if (held[static_cast<std::size_t>(i)] == 0 && model.coordinate(i).motion < 0) dependents_.push_back(i);
  }
}

void DependentCoordinateSolver::update(const VectorX& q, const VectorX& v) {
  update_kinematics(model_, q.data(), v.data(), 0.0, ws_);
  update_loop_constraints(model_, q.data(), v.data(), ws_);
}

VectorX DependentCoordinateSolver::correction() {
  constraint_values(model_, ws_, motion_, g_);
  constraint_matrix(model_, ws_, C_);
  MatrixX J(C_.rows(), static_cast<Eigen::Index>(dependents_.size()));
  for (std::size_t j = 0; j < dependents_.size(); ++j) {
    const double size = speed_size(ws_, dependents_[j], model_.length_m());
    J.col(static_cast<Eigen::Index>(j)) = C_.col(dependents_[j]) / size;
  }
  const VectorX scaled = shortest_solution(J, g_, rank_tolerance(ws_));
  VectorX change = VectorX::Zero(model_.nv());
  for (std::size_t j = 0; j < dependents_.size(); ++j) {
    const double size = speed_size(ws_, dependents_[j], model_.length_m());
    change[dependents_[j]] = scaled[static_cast<Eigen::Index>(j)] / size;
  }
  return change;
}

bool DependentCoordinateSolver::close_positions(const VectorX& q0, VectorX& increment, VectorX& q) {
  q = q0;
  double before = 0.0;
  for (int i = 0; i < kMaxIterations; ++i) {
    advance_configuration(model_, q0.data(), increment.data(), q.data());
    update(q, at_rest_);
    const double error = closure_error(ws_);
    if (error <= kClosed) return true;
    if (i > 0 && !(error < 0.5 * before)) return error <= kGoodEnough * (1.0 + q.lpNorm<Eigen::Infinity>());
    if (dependents_.empty()) return error <= kGoodEnough;
    before = error;
    position_correction(model_, ws_, motion_);
    // A change of a quaternion's increment turns by nearly the same: increments are small.
    increment += correction();
  }
  return false;
}

bool DependentCoordinateSolver::close_speeds(const VectorX& q, VectorX& v) {
  // Linear: the second solution takes away what rounding left of the first.
  for (int i = 0; i < 2 && !dependents_.empty(); ++i) {
    update(q, v);
    velocity_correction(model_, ws_, motion_);
    v += correction();
  }
  update(q, v);
  return closure_rate(ws_) <= kGoodEnough * (1.0 + v.lpNorm<Eigen::Infinity>());
}

int DependentCoordinateSolver::rank_at(const VectorX& q) {
  update(q, at_rest_);
  return constraint_rank(model_, ws_, RankOf::kFreeSpeeds).rank;
}

}  // namespace kinloop
