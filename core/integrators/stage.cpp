// Implements the trial state's life from the start of a step to its end.
#include "core/integrators/stage.hpp"

#include <algorithm>
#include <cmath>

#include "core/kinematics/forward_kinematics.hpp"

namespace kinloop {
namespace {

struct CompensatedTime {
  double time_s, carry_s;
};

/// time + dt with the rounding error kept (Knuth's two-sum), so that ten million steps end where they should.
CompensatedTime later(const State& state, double dt_s) noexcept {
  const double before = state.time_s();
  const double step = dt_s + state.time_carry_s();
  const double after = before + step;
  const double step_done = after - before;
  return {after, (before - (after - step_done)) + (step - step_done)};
}

}  // namespace

void begin_step(const Model& model, const State& state, Trial& start) noexcept {
  start.q = state.q();
  start.v = state.v();
  apply_prescribed_motion(model, state.time_s(), start.q.data(), start.v.data());
}

double time_after(const State& state, double dt_s) noexcept { return later(state, dt_s).time_s; }

void advance_time(State& state, double dt_s) noexcept {
  const CompensatedTime time = later(state, dt_s);
  state.time_s() = time.time_s;
  state.time_carry_s() = time.carry_s;
}

bool has_diverged(const Model& model, const VectorX& v) noexcept {
  const double limit = kMaxSpeed * std::max(1.0, model.length_m());
  bool bounded = true;
  for (const double speed : v) bounded = bounded && std::abs(speed) <= limit;  // false for what is no number
  return !bounded;
}

StepStatus evaluate(const Model& model, const double* q, const double* v, double time_s, const Loads& loads,
                    Dynamics& dynamics, Workspace& ws) noexcept {
  const StepStatus status = accelerations(model, q, v, time_s, loads, dynamics, ws);
  if (status == StepStatus::kOk) dynamics.freeze_basis();
  return status;
}

StepStatus evaluate_stage(const Model& model, double time_s, const Loads& loads, Dynamics& dynamics, Trial& trial,
                          Workspace& ws) noexcept {
  apply_prescribed_motion(model, time_s, trial.q.data(), trial.v.data());
  const StepStatus status = evaluate(model, trial.q.data(), trial.v.data(), time_s, loads, dynamics, ws);
  if (status == StepStatus::kOk) return status;
  return trial.q.allFinite() && !has_diverged(model, trial.v) ? status : StepStatus::kDiverged;
}

StepStatus accept_step(const Model& model, double dt_s, const StepEnd& with, Trial& end, State& state) noexcept {
  const double end_s = time_after(state, dt_s);
  apply_prescribed_motion(model, end_s, end.q.data(), end.v.data());
  StepStatus status = StepStatus::kOk;
  if (model.has_loops()) {
    if (has_diverged(model, end.v)) return StepStatus::kDiverged;  // rather than that its loops are open
    status = with.loops.project(model, end_s, with.dynamics, end.q, end.v, with.ws);
    if (!is_done(status)) return status;
  }
  // 0 * x is 0 for every finite x and not a number otherwise, so one sum tells of all.
  double finite = 0.0;
  for (const double x : end.q) finite += 0.0 * x;
  if (finite != 0.0 || has_diverged(model, end.v)) return StepStatus::kDiverged;
  state.q() = end.q;
  state.v() = end.v;
  advance_time(state, dt_s);
  state.set_history_count(0);
  return status;
}

}  // namespace kinloop
