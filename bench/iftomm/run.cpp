// Steps are timed, outputs are not.
#include "bench/iftomm/run.hpp"

#include <chrono>
#include <cmath>

#include "core/integrators/integrator.hpp"
#include "core/kinematics/forward_kinematics.hpp"

namespace kinloop::bench {
namespace {

class Simulation {
 public:
  Simulation(const Problem& problem, const Method& method)
      : problem_(problem),
        state_(problem.model),
        ws_(problem.model),
        output_(problem.model),
        dynamics_(make_dynamics(method.formulation, problem.model).value()),
        integrator_(make_integrator(method.integrator, problem.model).value()) {}

  /// Stops at the first step that fails.
  StepStatus advance(int steps, double dt_s) {
    StepStatus status = StepStatus::kOk;
    for (int k = 0; k < steps && is_done(status); ++k)
      status = integrator_->step(problem_.model, problem_.loads, dt_s, *dynamics_, state_, ws_);
    return status;
  }

  VectorX observe() {
    update_kinematics(problem_.model, state_, output_);
    return problem_.observe(problem_.model, state_, output_);
  }

  /// Of the state last observed.
  double energy_J() const { return balanced_energy_J(problem_, state_, output_); }

 private:
  const Problem& problem_;
  State state_;
  Workspace ws_, output_;
  std::unique_ptr<Dynamics> dynamics_;
  std::unique_ptr<Integrator> integrator_;
};

VectorX relative_error(double threshold, const VectorX& observed, const VectorX& reference) {
  return (observed - reference).cwiseAbs().cwiseQuotient(reference.cwiseAbs().cwiseMax(threshold));
}

}  // namespace

Score run(const Problem& problem, const Method& method, const Bounds& bounds) {
  Simulation simulation(problem, method);
  const double dt_s = problem.output_interval_s() / method.steps_per_output;
  const double entries = static_cast<double>(problem.reference.size());
  Score score;
  double squares = 0.0;
  for (long i = 0; i < problem.outputs(); ++i) {
    const auto begin = std::chrono::steady_clock::now();
    score.status = simulation.advance(method.steps_per_output, dt_s);
    score.wall_s += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (!is_done(score.status)) return score;
    score.steps += method.steps_per_output;
    const VectorX error = relative_error(problem.threshold, simulation.observe(), problem.reference.col(i));
    squares += error.squaredNorm();
    score.error = std::sqrt(squares / entries);
    score.worst = std::max(score.worst, error.maxCoeff());
    score.energy_error_J = std::max(score.energy_error_J, std::abs(simulation.energy_J() - problem.energy_J[i]));
    score.out_of_time = score.wall_s > bounds.wall_s;
    // The sum of squares only grows: what is too large now will be at the end.
    if (score.out_of_time || !(score.error <= bounds.error)) return score;
  }
  score.finished = true;
  return score;
}

Trajectory record(const Problem& problem, int outputs, const Method& method) {
  Simulation simulation(problem, method);
  const double dt_s = problem.duration_s / (outputs * method.steps_per_output);
  Trajectory out{MatrixX(simulation.observe().size(), outputs), VectorX(outputs)};
  for (int i = 0; i < outputs; ++i) {
    require(is_done(simulation.advance(method.steps_per_output, dt_s)), "the reference can be integrated");
    out.observed.col(i) = simulation.observe();
    out.energy_J[i] = simulation.energy_J();
  }
  return out;
}

double error_of(const Problem& problem, const MatrixX& observed, const MatrixX& reference) {
  double squares = 0.0;
  for (Eigen::Index i = 0; i < reference.cols(); ++i)
    squares += relative_error(problem.threshold, observed.col(i), reference.col(i)).squaredNorm();
  return std::sqrt(squares / static_cast<double>(reference.size()));
}

}  // namespace kinloop::bench
