// Owns what integrators are held to: a mechanism is moved by each of them with one formulation.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tests/adversary/trial.hpp"

namespace kinloop::adversary {

struct Trouble {
  std::string integrator, text;
  int cured_by = 0;  // it does not happen with the step divided by this; 0: with none that was tried
};

/// Against rk4 with a quarter of the step: stops, open loops and, where the motion conserves energy, a drift of it that
/// does not shrink with the step. `least_drift_J`: what rounding makes; empty where energy tells nothing.
std::vector<Trouble> integrator_trouble(const Subject& subject, const std::string& formulation, const TrialPlan& plan,
                                        std::optional<Real> least_drift_J);

}  // namespace kinloop::adversary
