// Takes the last steps before a stop again, with every formulation, and shorter ones through the same time.
#include "tests/adversary/stop_facts.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <deque>
#include <memory>
#include <vector>

namespace kinloop::adversary {
namespace {

constexpr std::size_t kWatched = 30;  // steps before the stop
// Formulations close loops each in its own way, which is as much as the step leaves open.
constexpr double kAlike = 10.0;
// Steps that differ by less are the same: rounding, divided by how far constraints are from being dependent.
constexpr double kRounding = 1e-6;
// The step is divided by these, one after the other, until all formulations pass.
constexpr std::array kShorter = {8, 64, 512};
// Where some pass with the shortest and others stop, by these as well: next to a singular position of rounding's size
// each passes with some steps and stops with others.
constexpr std::array kAgain = {600, 720};
constexpr int kBehind = 10;  // steps behind the stop: the place is passed

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

/// Whether a formulation comes from a state through so much time.
bool comes_through(const Subject& subject, const std::string& formulation, double dt_s, int steps, State state) {
  Stepper stepper(subject, formulation);
  for (int i = 0; i < steps; ++i) {
    if (!stepper.step(dt_s, state)) return false;
  }
  return true;
}

/// From the first of the states that were watched, with shorter and shorter steps.
void try_shorter(const Subject& subject, const std::vector<std::string>& all, double dt_s, int steps, const State& from,
                 StopFacts& facts) {
  std::vector<char> passes(all.size());
  const auto attempt = [&](int share) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      passes[i] = comes_through(subject, all[i], dt_s / share, share * steps, from) ? 1 : 0;
    }
    return std::count(passes.begin(), passes.end(), 1);
  };
  const auto count = static_cast<std::ptrdiff_t>(all.size());
  std::ptrdiff_t passing = 0;
  for (const int share : kShorter) {
    passing = attempt(share);
    if (passing < count) continue;
    facts.cured_by = share;
    return;
  }
  std::vector<char> always = passes, ever = passes;
  for (std::size_t k = 0; passing > 0 && k < kAgain.size(); ++k) {
    attempt(kAgain[k]);
    for (std::size_t i = 0; i < all.size(); ++i) {
      always[i] = always[i] != 0 && passes[i] != 0 ? 1 : 0;
      ever[i] = ever[i] != 0 || passes[i] != 0 ? 1 : 0;
    }
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (always[i] != 0) facts.passes = all[i];
    if (ever[i] == 0) facts.stops = all[i];
  }
  facts.is_by_chance = passing > 0 && (facts.passes.empty() || facts.stops.empty());
}

}  // namespace

bool StopFacts::is_shared() const {
  const bool parts = !passes.empty() && !stops.empty();
  return gets_on.empty() && max_apart <= kAlike && !parts;
}

std::string StopFacts::excuse() const {
  if (!is_shared()) return {};
  if (is_by_chance) return "passed by chance";
  return cured_by > 0 ? "step too long" : "nobody passes";
}

std::string StopFacts::told() const {
  char line[256];
  if (is_shared()) {
    std::snprintf(line, sizeof line, "%s pass with 1/%d of the step; halving one before it changes %.1e",
                  cured_by > 0 ? "all" : (is_by_chance ? "some, and others with steps beside it," : "none"),
                  cured_by > 0 ? cured_by : kShorter.back(), max_changed);
  } else if (!passes.empty()) {
    std::snprintf(line, sizeof line, "with 1/%d of the step %s passes, %s stops", kShorter.back(), passes.c_str(),
                  stops.c_str());
  } else {
    std::snprintf(line, sizeof line, "%s gets on from there, steps before it differ by %.1e from those of %s",
                  gets_on.empty() ? "none" : gets_on.c_str(), max_apart, apart_from.c_str());
  }
  return line;
}

StopFacts look_at_stop(const Subject& subject, const std::string& stopped, std::span<const std::string> others,
                       const TrialPlan& plan, int steps) {
  Stepper own(subject, stopped);
  State state = plan.start(subject.model);
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
    facts.max_changed = std::max(facts.max_changed, left_open);
    for (const std::string& name : others) {
      State there = watched[i];
      const double by = Stepper(subject, name).step(plan.dt_s, there) ? apart(there, watched[i + 1]) : 1.0;
      const double apart_by = by / std::max(left_open, kRounding);
      if (apart_by <= facts.max_apart) continue;
      facts.max_apart = apart_by;
      facts.apart_from = name;
    }
  }
  if (!facts.is_shared()) return facts;
  std::vector<std::string> all(others.begin(), others.end());
  all.push_back(stopped);
  try_shorter(subject, all, plan.dt_s, static_cast<int>(watched.size()) - 1 + kBehind, watched.front(), facts);
  return facts;
}

}  // namespace kinloop::adversary
