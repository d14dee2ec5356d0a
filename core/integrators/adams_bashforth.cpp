// Adams-Bashforth methods ab2, ab3, ab4: one evaluation a step, the slopes of past steps from the State's history.
//
// Past slopes of a rotation belong to other points of the group. They are carried to the present one: theta_j is the
// rotation from now to then, and its rate there is the slope of the very coordinates in which the step is made.
// The first steps, and those after a change of dt, are made by the classical Runge-Kutta method, so no order is lost.
#include <array>

#include "core/base/at.hpp"
#include "core/integrators/history.hpp"
#include "core/integrators/methods.hpp"
#include "core/integrators/runge_kutta.hpp"
#include "core/kinematics/configuration.hpp"

namespace kinloop::integrators {
namespace {

/// Weight of the slope at the start of the step, then of those of the steps before it.
template <int order>
constexpr std::array<double, order> kWeights{};
template <>
constexpr std::array kWeights<2> = {3.0 / 2.0, -1.0 / 2.0};
template <>
constexpr std::array kWeights<3> = {23.0 / 12.0, -16.0 / 12.0, 5.0 / 12.0};
template <>
constexpr std::array kWeights<4> = {55.0 / 24.0, -59.0 / 24.0, 37.0 / 24.0, -9.0 / 24.0};

template <int order>
class AdamsBashforth final : public Integrator {
  static_assert(order - 1 <= kHistoryDepth);

 public:
  AdamsBashforth(const Model& model, std::string_view name)
      : Integrator(model),
        name_(name),
        start_up_(model),
        start_(model),
        end_(model),
        start_vdot_(VectorX::Zero(model.nv())),
        back_(VectorX::Zero(model.nv())),
        rate_(VectorX::Zero(model.nv())),
        increment_(VectorX::Zero(model.nv())) {}

  std::string_view name() const noexcept override { return name_; }

 protected:
  StepStatus attempt(const Model& model, const Loads& loads, double dt_s, Dynamics& dynamics, State& state,
                     Workspace& ws) noexcept override {
    const StepEnd with{loops(), dynamics, ws};
    const int past = past_steps(state, HistoryKind::kSlopes, dt_s);
    if (past < order - 1) {
      StepStatus status = start_up_.run(kClassicalStages, model, state, loads, dt_s, with);
      if (status == StepStatus::kOk) status = accept_step(model, dt_s, with, start_up_.end(), state);
      if (is_done(status))
        remember_step(HistoryKind::kSlopes, start_up_.start(), start_up_.start_vdot(), past, dt_s, state);
      return status;
    }
    begin_step(model, state, start_);
    StepStatus status = evaluate_stage(model, state.time_s(), loads, dynamics, start_, ws);
    if (status == StepStatus::kOk) status = loops().look_ahead(model, start_.v.data(), dt_s, dynamics, ws);
    if (status != StepStatus::kOk) return status;
    start_vdot_ = ws.vdot;
    combine_slopes(model, dt_s, state);
    status = accept_step(model, dt_s, with, end_, state);
    if (is_done(status)) remember_step(HistoryKind::kSlopes, start_, start_vdot_, past, dt_s, state);
    return status;
  }

 private:
  void combine_slopes(const Model& model, double dt_s, const State& state) noexcept {
    end_.v = start_.v + (dt_s * kWeights<order>[0]) * start_vdot_;
    increment_ = (dt_s * kWeights<order>[0]) * start_.v;
    for (int j = 1; j < order; ++j) {
      const double weight_s = dt_s * kWeights<order>[at(j)];
      const PastStep past = past_step(model, state, j);
      configuration_difference(model, start_.q.data(), past.q.data(), back_.data());
      increment_rate(model, back_.data(), past.v.data(), rate_.data());
      increment_ += weight_s * rate_;
      end_.v += weight_s * past.vdot;
    }
    advance_configuration(model, start_.q.data(), increment_.data(), end_.q.data());
  }

  std::string_view name_;
  RungeKuttaStep start_up_;
  Trial start_, end_;
  VectorX start_vdot_;
  VectorX back_, rate_, increment_;
};

}  // namespace

constinit const IntegratorKind kAb2{"ab2",
                                    "one evaluation, order 2, uses past steps",
                                    2,
                                    1,
                                    0.1,
                                    0.95,
                                    [](const Model& model) -> std::unique_ptr<Integrator> {
                                      return std::make_unique<AdamsBashforth<2>>(model, "ab2");
                                    }};

constinit const IntegratorKind kAb3{"ab3",
                                    "one evaluation, order 3, uses past steps",
                                    3,
                                    1,
                                    0.7,
                                    0.5,
                                    [](const Model& model) -> std::unique_ptr<Integrator> {
                                      return std::make_unique<AdamsBashforth<3>>(model, "ab3");
                                    }};

constinit const IntegratorKind kAb4{"ab4",
                                    "one evaluation, order 4, uses past steps",
                                    4,
                                    1,
                                    0.4,
                                    0.28,
                                    [](const Model& model) -> std::unique_ptr<Integrator> {
                                      return std::make_unique<AdamsBashforth<4>>(model, "ab4");
                                    }};

}  // namespace kinloop::integrators
