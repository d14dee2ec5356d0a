// Owns the question whose fault a stop is: a formulation's, or that of a step too long for what the mechanism does.
//
// A run that stops has reached a state from which its step fails. Others that go on were never there: next to violent
// motion runs part by what the step leaves of the exact motion. So all formulations begin where the one that stops was
// thirty steps before. It is at fault if
//   - another gets on from the very state in which it stops, or
//   - its steps differ from those of another by more than the step itself leaves open, which two half steps tell, or
//   - with shorter steps, down to 1/512, some formulations pass the place and others stop, with 1/600 and 1/720 the
//   same.
// Else none stops where another goes on: either all pass with a shorter step, or nobody does.
#pragma once

#include <span>
#include <string>

#include "tests/adversary/trial.hpp"

namespace kinloop::adversary {

struct StopFacts {
  std::string gets_on;        // a formulation that takes the step that failed; empty: none does
  double max_apart = 0.0;     // steps by two formulations, over what halving the step changes
  std::string apart_from;     // the other of the two
  double max_changed = 0.0;   // the largest share of the speeds that halving a step changes
  int cured_by = 0;           // all pass with the step divided by this; 0: with none that was tried
  std::string passes, stops;  // one that passes and one that stops with the shortest steps; empty: there is none
  bool is_by_chance = false;  // some pass with one of these steps and stop with another

  /// No formulation stops where another goes on.
  bool is_shared() const;
  /// Why it is nobody's fault, in a few words that are counted; empty: a formulation is at fault.
  std::string excuse() const;
  /// The numbers.
  std::string told() const;
};

/// With rk4, as the trial that stopped after so many steps.
StopFacts look_at_stop(const Subject& subject, const std::string& stopped, std::span<const std::string> others,
                       const TrialPlan& plan, int steps);

}  // namespace kinloop::adversary
