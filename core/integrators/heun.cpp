// Heun's method: the mean of the slopes at both ends of the step. Order 2.
#include <array>

#include "core/integrators/methods.hpp"
#include "core/integrators/runge_kutta.hpp"

namespace kinloop::integrators {
namespace {

constexpr std::array kStages = {RungeKuttaStage{0.0, 0.5}, RungeKuttaStage{1.0, 0.5}};

class Heun final : public Integrator {
 public:
  explicit Heun(const Model& model) : Integrator(model), step_(model) {}

  std::string_view name() const noexcept override { return kHeun.name; }

 protected:
  StepStatus attempt(const Model& model, const Loads& loads, double dt_s, Dynamics& dynamics, State& state,
                     Workspace& ws) noexcept override {
    const StepStatus status = step_.run(kStages, model, state, loads, dt_s, dynamics, ws);
    if (status != StepStatus::kOk) return status;
    return accept_step(model, dt_s, {loops(), dynamics, ws}, step_.end(), state);
  }

 private:
  RungeKuttaStep step_;
};

}  // namespace

constinit const IntegratorKind kHeun{
    "heun", "two evaluations, order 2", 2, 2,
    [](const Model& model) -> std::unique_ptr<Integrator> { return std::make_unique<Heun>(model); }};

}  // namespace kinloop::integrators
