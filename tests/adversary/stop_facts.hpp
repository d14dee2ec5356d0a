// Owns the question whose fault a stop is: a formulation's, or that of a step too long for what the mechanism does.
//
// A run that stops has reached a state from which its step fails. Others that go on were never there: next to violent
// motion runs part by what the step leaves of the exact motion. So the last steps before the stop are taken by every
// formulation from the same states. A formulation is at fault if another gets on from where it stops, or if its steps
// differ from those of another by more than the step itself leaves open, which two half steps tell.
#pragma once

#include <span>
#include <string>

#include "tests/adversary/trial.hpp"

namespace kinloop::adversary {

struct StopFacts {
  std::string gets_on;        // a formulation that takes the step that failed; empty: none does
  double most_apart = 0.0;    // steps by two formulations, over what halving the step changes
  double most_changed = 0.0;  // the largest share of the speeds that halving a step changes

  /// No formulation is at fault.
  bool is_shared() const;
};

/// With rk4, as the trial that stopped after so many steps.
StopFacts look_at_stop(const Subject& subject, const std::string& stopped, std::span<const std::string> others,
                       const TrialPlan& plan, int steps);

}  // namespace kinloop::adversary
