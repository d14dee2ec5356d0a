// Owns explicit Runge-Kutta methods in which each stage starts from the one before alone: Heun's and the classical one.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "core/integrators/integrator.hpp"
#include "core/integrators/stage.hpp"

namespace kinloop {

/// Stage: at time t + node h, from the state y + node h k of the stage before; the step is h sum weight k.
struct RungeKuttaStage {
  double node;
  double weight;
};

/// The mean of the slopes at both ends, order 2.
inline constexpr std::array kHeunStages = {RungeKuttaStage{0.0, 0.5}, RungeKuttaStage{1.0, 0.5}};
/// The classical method of order 4; multi-step methods start with it.
inline constexpr std::array kClassicalStages = {RungeKuttaStage{0.0, 1.0 / 6.0}, RungeKuttaStage{0.5, 1.0 / 3.0},
                                                RungeKuttaStage{0.5, 1.0 / 3.0}, RungeKuttaStage{1.0, 1.0 / 6.0}};

class RungeKuttaStep {
 public:
  explicit RungeKuttaStep(const Model& model);

  /// From the state to end(); the state stays as it is.
  StepStatus run(std::span<const RungeKuttaStage> stages, const Model& model, const State& state, const Loads& loads,
                 double dt_s, const StepEnd& with) noexcept;

  const Trial& start() const noexcept { return start_; }
  const VectorX& start_vdot() const noexcept { return start_vdot_; }
  Trial& end() noexcept { return trial_; }

 private:
  Trial start_, trial_;
  VectorX start_vdot_;
  VectorX increment_, rate_;              // of the stage
  VectorX increment_sum_, velocity_sum_;  // of the step
};

/// The integrator of a tableau, which must outlive it.
class RungeKutta final : public Integrator {
 public:
  RungeKutta(const Model& model, std::string_view name, std::span<const RungeKuttaStage> stages)
      : Integrator(model), name_(name), stages_(stages), step_(model) {}

  std::string_view name() const noexcept override { return name_; }

 protected:
  StepStatus attempt(const Model& model, const Loads& loads, double dt_s, Dynamics& dynamics, State& state,
                     Workspace& ws) noexcept override;

 private:
  std::string_view name_;
  std::span<const RungeKuttaStage> stages_;
  RungeKuttaStep step_;
};

}  // namespace kinloop
