// Owns an offline simulation: steps as fast as possible, measures the energy, hands out samples.
#pragma once

#include <functional>
#include <optional>

#include "core/analysis/reactions.hpp"
#include "core/dynamics/energy.hpp"
#include "core/integrators/energy_account.hpp"
#include "core/integrators/integrator.hpp"
#include "core/integrators/step_limits.hpp"

namespace kinloop::cli {

struct SimulationPlan {
  double dt_s = 1e-3;
  long long steps = 0;
  long long every = 1;  // steps between two samples
};

/// What is known at a sample: at the start, every so many steps, and where the simulation ends.
struct Sample {
  const State& state;
  Energy energy;
  const VectorX& drive;                    // forces along the driven speeds; one entry per speed
  const std::vector<double>& loop_drives;  // forces of the drives of loop joints, in their order
  double closure_error = 0.0;              // of the loops: rad, distances in lengths of the mechanism
  double closure_rate = 0.0;               // of the velocities, per second
};

struct SimulationResult {
  StepStatus status = StepStatus::kOk;  // why it ended early, if it did
  long long steps = 0;                  // that were done
  double time_s = 0.0;                  // of the last good state
  double wall_s = 0.0;
  Energy first, last;
  double largest_drift_J = 0.0;          // of the total energy, over the samples
  double energy_scale_J = 0.0;           // what is exchanged: largest kinetic energy and range of the potential
  std::optional<EnergyBalance> balance;  // where every step was sampled
};

/// Returning kStop ends the simulation after a step.
enum class Go { kOn, kStop };

struct SimulationCallbacks {
  std::function<void(const Sample&)> sample;
  std::function<void(double time_s, const Reactions&)> reactions;  // found only if someone asks
  std::function<Go(long long step, double time_s)> after_step;
};

/// Moves the state on. A failed step leaves the last good state, which is sampled.
SimulationResult simulate(const Model& model, const Loads& loads, const SimulationPlan& plan, Dynamics& dynamics,
                          Integrator& integrator, const SimulationCallbacks& callbacks, State& state);

/// No damper, friction, drive or applied force: the energy must hold.
bool is_conservative(const Model& model, const Loads& loads);

/// What `auto` takes where no clock waits, so that accuracy costs time only; another name is taken as it is, without a
/// reason.
IntegratorChoice integrator_of_sim(const std::string& name, const Model& model, const FastestMotion& fastest,
                                   double dt_s);

}  // namespace kinloop::cli
