// Owns one run of a mechanism with one formulation and one integrator, watched from outside.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/integrators/integrator.hpp"
#include "tests/adversary/reference.hpp"

namespace kinloop::adversary {

struct TrialPlan {
  double dt_s = 1e-3;
  int steps = 0;
  int samples = 60;             // looks at energy and loops
  const State* from = nullptr;  // where it begins; none: in the initial state

  State start(const Model& model) const { return from != nullptr ? *from : State(model); }
  /// Through the same time.
  TrialPlan with_step_divided(int by) const { return {dt_s / by, steps * by, samples, from}; }
};

struct Trial {
  StepStatus status = StepStatus::kOk;
  int steps = 0;         // done
  Real drift_J = 0;      // largest change of the total energy
  Real exchanged_J = 0;  // largest kinetic energy and range of the potential
  Real open = 0;         // largest error of the loops
  bool finite = true;
  VectorX q, v;  // at the end
  std::vector<VectorX> q_samples, v_samples;
  std::vector<double> time_s;  // of the samples
  std::optional<State> end;    // whole

  bool finished(const TrialPlan& plan) const { return steps == plan.steps && finite; }
};

/// What a run needs to know of the mechanism.
struct Subject {
  const ModelSpec& spec;
  const Topology& topology;
  const Model& model;
};

Trial run_trial(const Subject& subject, std::string_view formulation, std::string_view integrator,
                const TrialPlan& plan);

/// Step and number of steps: 3 s at 1 ms, or 3000 steps of a twentieth of the time in which the fastest body at the
/// start turns by one radian.
TrialPlan plan_for(const Reference& start);

/// A run drifts if its energy changes by more than each of: so many times what the best one's does, this share of the
/// energy that the best one exchanges, and what rounding of the positions alone makes (energy_tolerance).
inline constexpr double kDriftFactor = 100.0;
inline constexpr double kDriftShare = 1e-6;
bool drifts(const Trial& trial, const Trial& best, Real least_J);

/// Between the ends of two runs: the largest difference of a coordinate, over what the speeds could move in a second.
double motion_distance(const Subject& subject, const Trial& a, const Trial& b);

/// The formulation whose run is nearest to another's, and how near; of those that finished, `auto` left out.
std::pair<std::string, double> middle_of(const Subject& subject, const std::map<std::string, Trial>& trials,
                                         const TrialPlan& plan);

Situation situation_of(const VectorX& q, const VectorX& v, double time_s);

}  // namespace kinloop::adversary
