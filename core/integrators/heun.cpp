// Heun's method: the mean of the slopes at both ends of the step. Order 2.
#include "core/integrators/methods.hpp"
#include "core/integrators/runge_kutta.hpp"

namespace kinloop::integrators {

constinit const IntegratorKind kHeun{
    "heun", "two evaluations, order 2", 2, 2, 0.1, 1.9, [](const Model& model) -> std::unique_ptr<Integrator> {
      return std::make_unique<RungeKutta>(model, kHeun.name, kHeunStages);
    }};

}  // namespace kinloop::integrators
