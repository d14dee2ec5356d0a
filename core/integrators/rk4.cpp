// The classical Runge-Kutta method. Order 4.
#include "core/integrators/methods.hpp"
#include "core/integrators/runge_kutta.hpp"

namespace kinloop::integrators {
namespace {

class Rk4 final : public Integrator {
 public:
  explicit Rk4(const Model& model) : Integrator(model), step_(model) {}

  std::string_view name() const noexcept override { return kRk4.name; }

 protected:
  StepStatus attempt(const Model& model, const Loads& loads, double dt_s, Dynamics& dynamics, State& state,
                     Workspace& ws) noexcept override {
    const StepStatus status = step_.run(kClassicalStages, model, state, loads, dt_s, dynamics, ws);
    if (status != StepStatus::kOk) return status;
    return accept_step(model, dt_s, {loops(), dynamics, ws}, step_.end(), state);
  }

 private:
  RungeKuttaStep step_;
};

}  // namespace

constinit const IntegratorKind kRk4{
    "rk4", "four evaluations, order 4", 4, 4,
    [](const Model& model) -> std::unique_ptr<Integrator> { return std::make_unique<Rk4>(model); }};

}  // namespace kinloop::integrators
