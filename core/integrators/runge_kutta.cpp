// Implements the explicit step on increments of the configuration.
#include "core/integrators/runge_kutta.hpp"

#include "core/kinematics/configuration.hpp"

namespace kinloop {

RungeKuttaStep::RungeKuttaStep(const Model& model)
    : start_(model),
      trial_(model),
      start_vdot_(VectorX::Zero(model.nv())),
      increment_(VectorX::Zero(model.nv())),
      rate_(VectorX::Zero(model.nv())),
      increment_sum_(VectorX::Zero(model.nv())),
      velocity_sum_(VectorX::Zero(model.nv())) {}

StepStatus RungeKuttaStep::run(std::span<const RungeKuttaStage> stages, const Model& model, const State& state,
                               const Loads& loads, double dt_s, const StepEnd& with) noexcept {
  Workspace& ws = with.ws;
  begin_step(model, state, start_);
  trial_.q = start_.q;
  trial_.v = start_.v;
  increment_.setZero();
  increment_sum_.setZero();
  velocity_sum_.setZero();
  bool is_first = true;
  for (const auto& [node, weight] : stages) {
    if (!is_first) {
      increment_ = (node * dt_s) * rate_;
      trial_.v = start_.v + (node * dt_s) * ws.vdot;
      advance_configuration(model, start_.q.data(), increment_.data(), trial_.q.data());
    }
    StepStatus status = evaluate_stage(model, state.time_s() + node * dt_s, loads, with.dynamics, trial_, ws);
    if (is_first && status == StepStatus::kOk) {
      status = with.loops.look_ahead(model, trial_.v.data(), dt_s, with.dynamics, ws);
    }
    if (status != StepStatus::kOk) return status;
    if (is_first) start_vdot_ = ws.vdot;
    is_first = false;
    increment_rate(model, increment_.data(), trial_.v.data(), rate_.data());
    increment_sum_ += (weight * dt_s) * rate_;
    velocity_sum_ += (weight * dt_s) * ws.vdot;
  }
  trial_.v = start_.v + velocity_sum_;
  advance_configuration(model, start_.q.data(), increment_sum_.data(), trial_.q.data());
  return StepStatus::kOk;
}

StepStatus RungeKutta::attempt(const Model& model, const Loads& loads, double dt_s, Dynamics& dynamics, State& state,
                               Workspace& ws) noexcept {
  const StepEnd with{loops(), dynamics, ws};
  const StepStatus status = step_.run(stages_, model, state, loads, dt_s, with);
  if (status != StepStatus::kOk) return status;
  return accept_step(model, dt_s, with, step_.end(), state);
}

}  // namespace kinloop
