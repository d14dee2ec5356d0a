// Semi-implicit Euler: v1 = v0 + h a(q0, v0), then q1 = q0 + h v1. Order 1, symplectic for separable systems; bodies
// that turn freely drift as they would without torque (free_rotation.hpp).
#include "core/integrators/free_rotation.hpp"
#include "core/integrators/methods.hpp"
#include "core/integrators/stage.hpp"
#include "core/kinematics/configuration.hpp"

namespace kinloop::integrators {
namespace {

class SemiImplicitEuler final : public Integrator {
 public:
  explicit SemiImplicitEuler(const Model& model)
      : Integrator(model), start_(model), trial_(model), increment_(VectorX::Zero(model.nv())), rotation_(model) {
    watch_.bound_rough_spins();
  }

  std::string_view name() const noexcept override { return kSemiImplicitEuler.name; }

 protected:
  StepStatus attempt(const Model& model, const Loads& loads, double dt_s, Dynamics& dynamics, State& state,
                     Workspace& ws) noexcept override {
    // Without driven joints the state itself is the only stage, and is read where it is.
    const double* q = state.q().data();
    const double* v = state.v().data();
    StepStatus status = StepStatus::kOk;
    if (model.driven_speeds().empty()) {
      status = evaluate(model, q, v, state.time_s(), loads, dynamics, ws);
    } else {
      begin_step(model, state, start_);
      q = start_.q.data();
      v = start_.v.data();
      status = evaluate_stage(model, state.time_s(), loads, dynamics, start_, ws);
    }
    if (status == StepStatus::kOk) status = loops().look_ahead(model, v, dt_s, dynamics, ws);
    if (status != StepStatus::kOk) {
      return state.q().allFinite() && state.v().allFinite() ? status : StepStatus::kDiverged;  // states from outside
    }
    for (int i = 0; i < model.nv(); ++i) {
      trial_.v[i] = v[i] + dt_s * ws.vdot[i];
      increment_[i] = dt_s * trial_.v[i];
    }
    if (!rotation_.drift(model, ws, v, dt_s, trial_.v.data(), increment_.data())) return StepStatus::kDiverged;
    advance_configuration(model, q, increment_.data(), trial_.q.data());
    return accept_step(model, dt_s, {loops(), dynamics, ws}, trial_, state);
  }

 private:
  Trial start_, trial_;
  VectorX increment_;
  FreeRotation rotation_;
};

}  // namespace

constinit const IntegratorKind kSemiImplicitEuler{
    "semi_implicit_euler",
    "one evaluation, order 1, energy stays bounded",
    1,
    1,
    2.0,
    1.9,
    [](const Model& model) -> std::unique_ptr<Integrator> { return std::make_unique<SemiImplicitEuler>(model); }};

}  // namespace kinloop::integrators
