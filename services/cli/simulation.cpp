// The loop, and the balance of energy beside it.
#include "services/cli/simulation.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "core/base/stepping_mode.hpp"
#include "core/kinematics/forward_kinematics.hpp"
#include "core/kinematics/loop_constraints.hpp"

namespace kinloop::cli {
namespace {

class Sampler {
 public:
  Sampler(const Model& model, const Loads& loads, Dynamics& dynamics, const SimulationCallbacks& callbacks)
      : model_(model),
        loads_(loads),
        dynamics_(dynamics),
        callbacks_(callbacks),
        ws_(model),
        drive_(VectorX::Zero(model.nv())) {
    for (const LoopJoint& loop : model.loops()) loop_drives_.resize(loop_drives_.size() + loop.drives.size());
  }

  void take(const State& state, SimulationResult& result) {
    update_kinematics(model_, state, ws_);
    const Energy now = energy(model_, state.q().data(), state.v().data(), ws_);
    if (model_.has_loops()) update_loop_constraints(model_, state, ws_);
    const double closure_error = kinloop::closure_error(ws_);
    const double closure_rate = kinloop::closure_rate(ws_);
    const bool wants_forces = !model_.motions().empty() || callbacks_.reactions;
    if (wants_forces && accelerations(model_, state, loads_, dynamics_, ws_) == StepStatus::kOk) {
      const Reactions reactions = find_reactions(model_, ws_);
      drive_ = reactions.drive;
      loop_drives_ = reactions.loop_drives;
      if (callbacks_.reactions) callbacks_.reactions(state.time_s(), reactions);
    }
    if (first_) {
      result.first = now;
      lowest_J_ = highest_J_ = now.potential_J;
      first_ = false;
    }
    result.last = now;
    result.largest_drift_J = std::max(result.largest_drift_J, std::abs(now.total_J() - result.first.total_J()));
    lowest_J_ = std::min(lowest_J_, now.potential_J);
    highest_J_ = std::max(highest_J_, now.potential_J);
    result.energy_scale_J = std::max({result.energy_scale_J, now.kinetic_J, highest_J_ - lowest_J_});
    if (callbacks_.sample) callbacks_.sample({state, now, drive_, loop_drives_, closure_error, closure_rate});
  }

 private:
  const Model& model_;
  const Loads& loads_;
  Dynamics& dynamics_;
  const SimulationCallbacks& callbacks_;
  Workspace ws_;
  VectorX drive_;
  std::vector<double> loop_drives_;
  double lowest_J_ = 0.0, highest_J_ = 0.0;
  bool first_ = true;
};

}  // namespace

SimulationResult simulate(const Model& model, const Loads& loads, const SimulationPlan& plan, Dynamics& dynamics,
                          Integrator& integrator, const SimulationCallbacks& callbacks, State& state) {
  const SteppingMode mode;
  SimulationResult result;
  Workspace ws(model);
  Sampler sampler(model, loads, dynamics, callbacks);
  const auto start = std::chrono::steady_clock::now();
  sampler.take(state, result);
  bool sampled = true;
  std::optional<EnergyAccount> account;
  if (plan.every == 1) {
    integrator.loops().keep_unprojected();
    account.emplace(model).start(state);
  }
  while (result.steps < plan.steps) {
    result.status = integrator.step(model, loads, plan.dt_s, dynamics, state, ws);
    if (!is_done(result.status)) break;
    ++result.steps;
    sampled = result.steps % plan.every == 0;
    if (sampled) sampler.take(state, result);
    if (account) account->add(state, loads, integrator);
    if (callbacks.after_step && callbacks.after_step(result.steps, state.time_s()) == Go::kStop) break;
  }
  if (!sampled) sampler.take(state, result);
  if (account) result.balance = account->balance();
  result.time_s = state.time_s();
  result.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

bool is_conservative(const Model& model, const Loads& loads) {
  if (!model.motions().empty() || !loads.wrenches.empty() || (loads.tau.array() != 0.0).any()) return false;
  const auto loses = [](const CoordinateConstants& c) {
    const bool has_no_potential = c.q < 0 && c.force != 0.0;  // a torque that turns with its body
    return c.damping != 0.0 || c.dry_friction != 0.0 || (c.limited && c.limit_damping != 0.0) || has_no_potential;
  };
  const auto coordinates = model.coordinates();
  const auto springs = model.springs();
  const auto bushings = model.bushings();
  const auto ropes = model.ropes();
  const auto planes = model.planes();
  return std::none_of(coordinates.begin(), coordinates.end(), loses) &&
         std::none_of(springs.begin(), springs.end(), [](const PointSpring& s) { return s.damping != 0.0; }) &&
         std::none_of(bushings.begin(), bushings.end(),
                      [](const Bushing& b) { return !b.damping.isZero(0.0) || !b.rotational_damping.isZero(0.0); }) &&
         std::none_of(ropes.begin(), ropes.end(), [](const Rope& r) { return r.dissipation != 0.0; }) &&
         std::none_of(planes.begin(), planes.end(),
                      [](const Plane& p) { return p.dissipation != 0.0 || p.friction != 0.0 || p.digging != 0.0; });
}

IntegratorChoice integrator_of_sim(const std::string& name, const Model& model, const FastestMotion& fastest,
                                   double dt_s) {
  return name == kAutoIntegrator ? choose_integrator(model, fastest, dt_s, "rk4") : IntegratorChoice{name, ""};
}

}  // namespace kinloop::cli
