// Semi-implicit Euler: v1 = v0 + h a(q0, v0), then q1 = q0 + h v1. Order 1, symplectic for separable systems.
#include "core/integrators/configuration.hpp"
#include "core/integrators/methods.hpp"
#include "core/integrators/stage.hpp"

namespace kinloop::integrators {
namespace {

class SemiImplicitEuler final : public Integrator {
 public:
  explicit SemiImplicitEuler(const Model& model) : trial_(model), increment_(VectorX::Zero(model.nv())) {}

  std::string_view name() const noexcept override { return kSemiImplicitEuler.name; }

  StepStatus step(const Model& model, const Loads& loads, double dt_s, Dynamics& dynamics, State& state,
                  Workspace& ws) noexcept override {
    begin_step(model, state, trial_);
    const StepStatus status = evaluate_stage(model, state.time_s(), loads, dynamics, trial_, ws);
    if (status != StepStatus::kOk) return status;
    for (int i = 0; i < model.nv(); ++i) {
      trial_.v[i] += dt_s * ws.vdot[i];
      increment_[i] = dt_s * trial_.v[i];
    }
    advance_configuration(model, trial_.q.data(), increment_.data(), trial_.q.data());
    return accept_step(model, dt_s, trial_, state);
  }

 private:
  Trial trial_;
  VectorX increment_;
};

}  // namespace

constinit const IntegratorKind kSemiImplicitEuler{
    "semi_implicit_euler", "one evaluation, order 1, energy stays bounded", 1,
    [](const Model& model) -> std::unique_ptr<Integrator> { return std::make_unique<SemiImplicitEuler>(model); }};

}  // namespace kinloop::integrators
