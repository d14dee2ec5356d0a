// Newton's method with the pseudo-inverse of the dependents' columns: redundant rows are ordinary input.
#include "core/analysis/dependent_coordinate_solver.hpp"

#include "core/constraints/constraint_rank.hpp"
#include "core/constraints/rank_tolerance.hpp"
#include "core/kinematics/configuration.hpp"
#include "core/kinematics/loop_constraints.hpp"
#include "core/math/least_squares.hpp"

namespace kinloop {
namespace {

constexpr int kMaxIterations = 30;
constexpr double kClosed = 1e-15;      // no better is possible
constexpr double kGoodEnough = 1e-12;  // where rounding stops the last digits: rad, or lengths; per second, relative

}  // namespace

DependentCoordinateSolver::DependentCoordinateSolver(const Model& model, const std::vector<char>& held)
    : model_(model), equations_(model, held) {}

VectorX DependentCoordinateSolver::correction(const VectorX& errors) {
  const double tolerance = rank_tolerance(equations_.workspace());
  return equations_.unscaled(shortest_solution(equations_.scaled_columns(), errors, tolerance));
}

bool DependentCoordinateSolver::close_positions(const VectorX& q0, VectorX& increment, VectorX& q) {
  q = q0;
  double before = 0.0;
  for (int i = 0; i < kMaxIterations; ++i) {
    advance_configuration(model_, q0.data(), increment.data(), q.data());
    equations_.update_at_rest(q);
    const double error = closure_error(equations_.workspace());
    if (error <= kClosed) return true;
    if (i > 0 && !(error < 0.5 * before)) return error <= kGoodEnough * (1.0 + q.lpNorm<Eigen::Infinity>());
    if (equations_.free().empty()) return error <= kGoodEnough;
    before = error;
    // A change of a quaternion's increment turns by nearly the same: increments are small.
    increment += correction(equations_.position_errors());
  }
  return false;
}

bool DependentCoordinateSolver::close_speeds(const VectorX& q, VectorX& v) {
  // Linear: the second solution takes away what rounding left of the first.
  for (int i = 0; i < 2 && !equations_.free().empty(); ++i) {
    equations_.update(q, v);
    v += correction(equations_.velocity_errors());
  }
  equations_.update(q, v);
  return closure_rate(equations_.workspace()) <= kGoodEnough * (1.0 + v.lpNorm<Eigen::Infinity>());
}

int DependentCoordinateSolver::rank_at(const VectorX& q) {
  equations_.update_at_rest(q);
  return constraint_rank(model_, equations_.workspace(), RankOf::kFreeSpeeds).rank;
}

}  // namespace kinloop
