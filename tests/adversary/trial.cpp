// Steps core's integrators; energy and loops are looked at with the reference's own kinematics.
#include "tests/adversary/trial.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/at.hpp"
#include "tests/adversary/tolerance.hpp"

namespace kinloop::adversary {

Situation situation_of(const VectorX& q, const VectorX& v, double time_s) {
  return {q.cast<Real>(), v.cast<Real>(), time_s, {}, {}};
}

TrialPlan plan_for(const Reference& start) {
  constexpr double kStep_s = 1e-3, kTime_s = 3.0, kShareOfTurn = 0.05;
  TrialPlan plan;
  const double fastest = static_cast<double>(start.fastest_per_s);
  plan.dt_s = fastest * kStep_s > kShareOfTurn ? kShareOfTurn / fastest : kStep_s;
  plan.steps = static_cast<int>(std::lround(kTime_s / kStep_s));
  return plan;
}

Trial run_trial(const Subject& subject, std::string_view formulation, std::string_view integrator_name,
                const TrialPlan& plan) {
  const Model& model = subject.model;
  const auto dynamics = std::move(make_dynamics(formulation, model)).value();
  const auto integrator = std::move(make_integrator(integrator_name, model)).value();
  State state = plan.start(model);
  Workspace ws(model);
  const Loads loads(model);
  Trial trial;
  Real first = 0, low = 0, high = 0;
  const auto look = [&] {
    trial.q = state.q();
    trial.v = state.v();
    trial.finite = trial.q.allFinite() && trial.v.allFinite();
    if (!trial.finite) return;
    const Situation now = situation_of(trial.q, trial.v, state.time_s());
    const EnergyR energy = energy_of(subject.spec, subject.topology, now);
    if (trial.steps == 0) {
      first = energy.total();
      low = high = energy.potential;
    }
    low = std::min(low, energy.potential);
    high = std::max(high, energy.potential);
    trial.drift_J = std::max(trial.drift_J, std::abs(energy.total() - first));
    trial.exchanged_J = std::max({trial.exchanged_J, energy.kinetic, high - low});
    trial.open = std::max(trial.open, openness_of(subject.spec, subject.topology, now).error);
    trial.q_samples.push_back(trial.q);
    trial.v_samples.push_back(trial.v);
    trial.time_s.push_back(state.time_s());
  };
  look();
  const int every = std::max(1, plan.steps / plan.samples);
  while (trial.steps < plan.steps && trial.finite) {
    trial.status = integrator->step(model, loads, plan.dt_s, *dynamics, state, ws);
    if (!is_done(trial.status)) break;
    ++trial.steps;
    if (trial.steps % every == 0 || trial.steps == plan.steps) look();
  }
  trial.end.emplace(state);
  return trial;
}

bool drifts(const Trial& trial, const Trial& best, Real least_J) {
  return trial.drift_J > kDriftFactor * best.drift_J && trial.drift_J > kDriftShare * best.exchanged_J &&
         trial.drift_J > least_J;
}

double motion_distance(const Subject& subject, const Trial& a, const Trial& b) {
  if (a.q.size() == 0 || !a.finite || !b.finite) return 1e300;
  const VectorXR unit = speed_units(subject.spec, subject.topology);
  const double speed = std::max(1.0, static_cast<double>(b.v.cast<Real>().cwiseQuotient(unit).cwiseAbs().maxCoeff()));
  double most = 0.0;
  for (std::size_t j = 0; j < subject.spec.joints.size(); ++j) {
    const JointSpec& joint = subject.spec.joints[j];
    const int q = subject.topology.q_at[j];
    for (int i = 0; i < joint_size(joint.type).nq; ++i) {
      const double length = slides(joint, i) ? static_cast<double>(unit[subject.topology.v_at[j] + i]) : 1.0;
      most = std::max(most, std::abs(a.q[q + i] - b.q[q + i]) / (length * speed));
    }
  }
  return most;
}

std::pair<std::string, double> middle_of(const Subject& subject, const std::map<std::string, Trial>& trials,
                                         const TrialPlan& plan) {
  std::string middle;
  double spread = 1e300;
  for (const auto& [name, trial] : trials) {
    if (name == "auto" || !trial.finished(plan)) continue;
    if (middle.empty()) middle = name;
    for (const auto& [other, beside] : trials) {
      if (other == "auto" || other == name || !beside.finished(plan)) continue;
      if (const double d = motion_distance(subject, trial, beside); d < spread) {
        spread = d;
        middle = name;
      }
    }
  }
  return {middle, spread == 1e300 ? 0.0 : spread};
}

}  // namespace kinloop::adversary
