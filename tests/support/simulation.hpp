// Owns Simulation: a model with all that a run of it needs, for tests.
#pragma once

#include <memory>
#include <ostream>
#include <string_view>

#include "core/integrators/integrator.hpp"

namespace kinloop {

/// Names a test's parameter by the method, not by its bytes.
inline void PrintTo(const IntegratorKind& kind, std::ostream* out) { *out << kind.name; }

/// Copies nothing of the model: it must live longer.
struct Simulation {
  Simulation(const Model& of, std::string_view integrator_name, std::string_view dynamics_name = "rfda")
      : model(of),
        state(of),
        ws(of),
        loads(of),
        dynamics(std::move(make_dynamics(dynamics_name, of)).value()),
        integrator(std::move(make_integrator(integrator_name, of)).value()) {}

  StepStatus step(double dt_s) noexcept { return integrator->step(model, loads, dt_s, *dynamics, state, ws); }

  /// Stops at the first step that fails.
  StepStatus run(double dt_s, int steps) noexcept {
    StepStatus status = StepStatus::kOk;
    for (int i = 0; i < steps && status == StepStatus::kOk; ++i) status = step(dt_s);
    return status;
  }

  const Model& model;
  State state;
  Workspace ws;
  Loads loads;
  std::unique_ptr<Dynamics> dynamics;
  std::unique_ptr<Integrator> integrator;
};

}  // namespace kinloop
