// Owns the interface of a fixed-step integrator. One file a method, one entry in table.cpp.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "core/base/result.hpp"
#include "core/dynamics/forward_dynamics.hpp"
#include "core/integrators/constraint_projection.hpp"
#include "core/integrators/step_watch.hpp"

namespace kinloop {

/// Advances a state by one step of fixed length, with the memory it needs for the model it was made for.
class Integrator {
 public:
  explicit Integrator(const Model& model) : loops_(model), watch_(model) {}
  Integrator(const Integrator&) = delete;
  Integrator& operator=(const Integrator&) = delete;
  virtual ~Integrator() = default;

  virtual std::string_view name() const noexcept = 0;
  /// Whether it takes Loads::stiffness into account.
  virtual bool takes_stiffness() const noexcept { return false; }

  /// Loads are held over the step, but for what takes_stiffness() says. A step that is not done (is_done()) leaves the
  /// state as it was. Where it fails, or an answer in it does not stand its check, it is begun again with the next
  /// formulation, while there is one. No allocation.
  StepStatus step(const Model& model, const Loads& loads, double dt_s, Dynamics& dynamics, State& state,
                  Workspace& ws) noexcept {
    StepStatus status = whole_attempt(model, loads, dt_s, dynamics, state, ws);
    const StepStatus first = status;
    while (!is_done(status) && dynamics.fall_back()) status = whole_attempt(model, loads, dt_s, dynamics, state, ws);
    dynamics.trust_again();
    if (is_done(status)) watch_.look(state, ws, dt_s);
    return is_done(status) ? status : first;
  }

  /// Steps that were too long for the motion.
  const CoarseSteps& coarse_steps() const noexcept { return watch_.report(); }

  /// How loops are kept closed, and how well that went.
  ConstraintProjection& loops() noexcept { return loops_; }
  const ConstraintProjection& loops() const noexcept { return loops_; }

 protected:
  /// A step with the formulation in use, whose basis step() takes from the state and gives back to it.
  virtual StepStatus attempt(const Model& model, const Loads& loads, double dt_s, Dynamics& dynamics, State& state,
                             Workspace& ws) noexcept = 0;

 private:
  StepStatus whole_attempt(const Model& model, const Loads& loads, double dt_s, Dynamics& dynamics, State& state,
                           Workspace& ws) noexcept {
    dynamics.begin_step(state);
    loops_.prepare(ws);
    const StepStatus status = attempt(model, loads, dt_s, dynamics, state, ws);
    if (is_done(status)) dynamics.end_step(state);
    return status;
  }

  ConstraintProjection loops_;

 protected:
  StepWatch watch_;
};

inline constexpr double kNoLimit = 1e300;

/// An entry of the table of integrators.
struct IntegratorKind {
  std::string_view name;
  std::string_view summary;
  int order;
  int evaluations;  // of the forward dynamics a step; the first steps of some take more
  /// What a step may hold of an undamped oscillation, omega dt, and of a decay, rate times dt, and stay bounded over
  /// ten thousand steps.
  double max_oscillation, max_decay;
  std::unique_ptr<Integrator> (*make)(const Model& model);
};

std::span<const IntegratorKind> integrator_kinds() noexcept;

/// By public name; an error lists the known ones.
Result<std::unique_ptr<Integrator>> make_integrator(std::string_view name, const Model& model);

}  // namespace kinloop
