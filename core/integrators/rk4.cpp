// The classical Runge-Kutta method. Order 4.
#include "core/integrators/methods.hpp"
#include "core/integrators/runge_kutta.hpp"

namespace kinloop::integrators {

constinit const IntegratorKind kRk4{
    "rk4", "four evaluations, order 4", 4, 4, 2.8, 2.7, [](const Model& model) -> std::unique_ptr<Integrator> {
      return std::make_unique<RungeKutta>(model, kRk4.name, kClassicalStages);
    }};

}  // namespace kinloop::integrators
