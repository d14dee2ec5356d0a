// Levenberg-Marquardt on the closing conditions, in scaled speeds; then a linear projection of the velocities.
#include "core/constraints/assembly.hpp"

#include <Eigen/Cholesky>
#include <cmath>

#include "core/constraints/closing_equations.hpp"
#include "core/constraints/rank_tolerance.hpp"
#include "core/kinematics/configuration.hpp"
#include "core/kinematics/loop_constraints.hpp"
#include "core/math/least_squares.hpp"
#include "core/math/noise.hpp"

namespace kinloop {
namespace {

constexpr double kClosed = 1e-13;
constexpr double kGoodEnough = 1e-10;  // where rounding stops the last digits
constexpr int kMaxIterations = 100;
constexpr int kMaxStarts = 12;
constexpr double kLongestStep = 0.5;  // rad, or lengths of the mechanism

class Assembler {
 public:
  Assembler(const Model& model, const std::vector<char>& held) : model_(model), equations_(model, held) {}

  /// Errors of all rows at q.
  const VectorX& errors(const VectorX& q) {
    equations_.update_at_rest(q);
    return equations_.position_errors();
  }

  VectorX advanced(const VectorX& q, const VectorX& step) const {
    VectorX result = q;
    advance_configuration(model_, q.data(), step.data(), result.data());
    return result;
  }

  /// Goes downhill from q; true where all is closed.
  bool descend(VectorX& q, int& iterations) {
    double damping = 1e-6;
    double error2 = errors(q).squaredNorm();
    for (int i = 0; i < kMaxIterations && std::sqrt(error2) > kClosed; ++i) {
      const VectorX g = errors(q);
      const MatrixX J = equations_.scaled_columns();
      const MatrixX normal = J * J.transpose();
      bool better = false;
      for (int attempt = 0; attempt < 12 && !better; ++attempt) {
        MatrixX damped = normal;
        damped.diagonal().array() += damping;
        VectorX step = J.transpose() * damped.ldlt().solve(g);
        const double longest = step.size() > 0 ? step.lpNorm<Eigen::Infinity>() : 0.0;
        if (longest > kLongestStep) step *= kLongestStep / longest;
        errors(q);  // the scale of the step is that of q
        const VectorX next = advanced(q, equations_.unscaled(step));
        const double next2 = errors(next).squaredNorm();
        better = next2 < error2;
        damping = better ? std::max(1e-14, 0.1 * damping) : 10.0 * damping;
        if (!better) continue;
        q = next;
        error2 = next2;
      }
      ++iterations;
      if (!better) break;
    }
    errors(q);
    return error_left() <= kGoodEnough;
  }

  VectorX scattered(const VectorX& q, int attempt, Noise& noise) {
    errors(q);
    VectorX step(static_cast<Eigen::Index>(equations_.free().size()));
    for (double& s : step) s = 0.3 * attempt * noise.next();
    return advanced(q, equations_.unscaled(step));
  }

  /// The smallest change of the free speeds that ends all errors of the velocities.
  VectorX closed_speeds(const VectorX& q, const VectorX& v) {
    equations_.update(q, v);
    const VectorX& rates = equations_.velocity_errors();
    return v + equations_.unscaled(shortest_solution(equations_.scaled_columns(), rates, kRankTolerance));
  }

  const Workspace& workspace_at(const VectorX& q, const VectorX& v) {
    equations_.update(q, v);
    return equations_.workspace();
  }
  double error_left() const { return closure_error(equations_.workspace()); }

 private:
  const Model& model_;
  ClosingEquations equations_;
};

}  // namespace

std::vector<LoopGap> loop_gaps(const Model& model, const Workspace& ws) {
  std::vector<LoopGap> gaps;
  for (const LoopConstraint& constraint : ws.loop_constraint) {
    const SpatialVector gap = blocked_part(constraint, model.length_m(), constraint.error);
    gaps.push_back({gap.linear.eigen().norm(), gap.angular.eigen().norm()});
  }
  return gaps;
}

Assembly assemble(const Model& model, const VectorX& q, const VectorX& v, const std::vector<char>& held) {
  Assembly result;
  Assembler assembler(model, held);
  Noise noise(7);
  double best = 0.0;
  for (int attempt = 0; attempt < kMaxStarts && !result.closed; ++attempt) {
    VectorX trial = attempt == 0 ? q : assembler.scattered(q, attempt, noise);
    const bool closed = assembler.descend(trial, result.iterations);
    if (attempt > 0 && !closed && assembler.error_left() >= best) continue;
    best = assembler.error_left();
    result.closed = closed;
    result.q = trial;
  }
  result.v = assembler.closed_speeds(result.q, v);
  const Workspace& ws = assembler.workspace_at(result.q, result.v);
  result.error = closure_error(ws);
  result.rate = closure_rate(ws);
  result.gaps = loop_gaps(model, ws);
  result.closed = result.closed && result.rate <= 1e-9 * (1.0 + result.v.lpNorm<Eigen::Infinity>());
  return result;
}

}  // namespace kinloop
