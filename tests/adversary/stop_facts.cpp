// Takes the last steps before a stop again, with every formulation.
#include "tests/adversary/stop_facts.hpp"

#include <algorithm>
#include <deque>
#include <memory>

namespace kinloop::adversary {
namespace {

constexpr std::size_t kWatched = 30;  // steps before the stop
// Formulations close loops each in its own way, which is as much as the step leaves open.
constexpr double kAlike = 10.0;
// Steps that differ by less are the same: rounding, divided by how far constraints are from being dependent.
constexpr double kRounding = 1e-6;

class Stepper {
 public:
  Stepper(const Subject& subject, const std::string& formulation)
      : model_(subject.model),
        dynamics_(std::move(make_dynamics(formulation, subject.model)).value()),
        integrator_(std::move(make_integrator("rk4", subject.model)).value()),
        ws_(subject.model),
        loads_(subject.model) {}

  bool step(double dt_s, State& state) {
    return is_done(integrator_->step(model_, loads_, dt_s, *dynamics_, state, ws_)) && state.v().allFinite();
  }

 private:
  const Model& model_;
  std::unique_ptr<Dynamics> dynamics_;
  std::unique_ptr<Integrator> integrator_;
  Workspace ws_;
  Loads loads_;
};

double apart(const State& a, const State& b) {
  const double size = std::max(a.v().lpNorm<Eigen::Infinity>(), b.v().lpNorm<Eigen::Infinity>());
  return size > 0.0 ? (a.v() - b.v()).lpNorm<Eigen::Infinity>() / size : 0.0;
}

}  // namespace

bool StopFacts::is_shared() const { return gets_on.empty() && most_apart <= kAlike; }

StopFacts look_at_stop(const Subject& subject, const std::string& stopped, std::span<const std::string> others,
                       const TrialPlan& plan, int steps) {
  Stepper own(subject, stopped);
  State state(subject.model);
  std::deque<State> watched{state};
  for (int i = 0; i < steps && own.step(plan.dt_s, state); ++i) {
    watched.push_back(state);
    if (watched.size() > kWatched) watched.pop_front();
  }
  StopFacts facts;
  for (const std::string& name : others) {
    State there = watched.back();
    if (Stepper(subject, name).step(plan.dt_s, there)) facts.gets_on = name;
  }
  for (std::size_t i = 0; i + 1 < watched.size(); ++i) {
    State halved = watched[i];
    const bool is_halved = own.step(0.5 * plan.dt_s, halved) && own.step(0.5 * plan.dt_s, halved);
    const double left_open = is_halved ? apart(halved, watched[i + 1]) : 1.0;
    facts.most_changed = std::max(facts.most_changed, left_open);
    for (const std::string& name : others) {
      State there = watched[i];
      const double by = Stepper(subject, name).step(plan.dt_s, there) ? apart(there, watched[i + 1]) : 1.0;
      facts.most_apart = std::max(facts.most_apart, by / std::max(left_open, kRounding));
    }
  }
  return facts;
}

}  // namespace kinloop::adversary
