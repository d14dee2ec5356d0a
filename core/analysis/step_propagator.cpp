// The plant's step once more, beside what small changes become in it.
#include "core/analysis/step_propagator.hpp"

#include "core/base/at.hpp"
#include "core/integrators/free_rotation.hpp"

namespace kinloop {

std::string StepPropagator::refusal(const Plant& plant, int level) {
  const std::string& integrator = plant.integrator(level).name;
  if (std::string refused = StepSlopes::refusal(integrator); !refused.empty()) return refused;
  const bool has_closed_forms = plant.dynamics_name(level) == "partition" && plant.model().has_loops();
  if (has_closed_forms && (integrator == "semi_implicit_euler" || integrator == "linearly_implicit")) {
    return "formulation partition, which closes loops in its own way";
  }
  const bool turns = !plant.model().quaternion_bodies().empty();
  if (integrator == "linearly_implicit" && plant.substeps(level) > 1 && turns) {
    return "sub-steps of linearly_implicit with bodies that turn";
  }
  for (const LoopJoint& loop : plant.model().loops()) {
    // Its drive turns the axes along which it moves; how that bends the way is not differentiated.
    if (!loop.drives.empty() && !loop.constant) return "the drive of closing joint '" + loop.name + "'";
  }
  return {};
}

std::string StepPropagator::parameter_refusal(const Plant& plant, int level) {
  if (std::string refused = refusal(plant, level); !refused.empty()) return refused;
  const bool drifts = plant.integrator(level).name == "semi_implicit_euler" && !FreeRotation(plant.model()).is_empty();
  return drifts ? "bodies that turn freely under semi_implicit_euler" : std::string();
}

StepPropagator::StepPropagator(Plant& plant, int level, const State& like)
    : plant_(plant),
      model_(plant.model()),
      level_(level),
      actuators_(plant.actuators()),
      slopes_(model_, plant.integrator(level).name, plant.stabilization(level)),
      integrator_(make_integrator(plant.integrator(level).name, model_).value()),
      before_(like),
      ws_(model_),
      loads_(model_),
      start_q_(VectorX::Zero(model_.nq())) {
  integrator_->loops().settings() = plant.stabilization(level);
  loads_.wrenches.reserve(OutsideForces::kMax);
  if (actuators_.all_direct()) d_loads_.forces = UnitForces::kFollowCommands;
}

StepStatus StepPropagator::step(const StepInput& input, Eigen::Index first_command, From from, State& state,
                                StateChanges& changes) noexcept {
  if (d_loads_.tau.cols() != changes.dq.cols()) d_loads_.resize(model_.nv(), changes.dq.cols());
  state.count_step();
  state.set_level(level_);
  Plant::count_moved(state);
  const std::uint64_t moved = Plant::moved(state);
  for (int i = 0; i < plant_.actuators().size(); ++i) {
    const Eigen::Index column = first_command >= 0 ? first_command + i : -1;
    actuators_.pass_command(i, moved, input.command[at(i)], state, column, changes.dz);
    plant_.actuators().pass_command(i, moved, input.command[at(i)], state);
  }
  for (int i = 0; i < plant_.substeps(level_); ++i) {
    const StepStatus status = substep(i == 0 ? from : From::kAny, state, changes);
    if (status != StepStatus::kOk) return status;
  }
  return StepStatus::kOk;
}

StepStatus StepPropagator::substep(From from, State& state, StateChanges& changes) noexcept {
  const double dt_s = plant_.substep_s(level_);
  Dynamics& dynamics = plant_.dynamics(level_);
  const bool is_implicit = integrator_->takes_stiffness();
  loads_.tau.setZero();
  if (is_implicit) {
    before_.block() = state.block();
    loads_.stiffness.setZero();
    loads_.damping.setZero();
    actuators_.predict(level_, dt_s, state, changes.dq, changes.dv, changes.dz, d_loads_);
    plant_.actuators().predict(level_, dt_s, ActuatorSet::Around::kSpeeds, state, loads_);
    start_dq_ = changes.dq;
  } else {
    actuators_.step(level_, state, changes.dq, changes.dv, changes.dz, d_loads_.tau);
    plant_.actuators().step(level_, state);
    plant_.actuators().add_forces(state, loads_.tau);
  }
  plant_.gather_wrenches(state, loads_.wrenches);
  const bool by_integrator = model_.has_loops() || is_implicit;
  if (by_integrator && !is_implicit) before_.block() = state.block();
  const State& before = by_integrator ? before_ : state;
  StepStatus status = StepStatus::kOk;
  if (by_integrator) {
    status = integrator_->step(model_, loads_, dt_s, dynamics, state, ws_);
    if (!is_done(status)) return status;
  }
  status = slopes_.advance({before, state, loads_, d_loads_, dt_s, dynamics}, from, changes.dq, changes.dv);
  if (status == StepStatus::kOk && !by_integrator) {
    status = accept_step(model_, dt_s, {integrator_->loops(), dynamics, ws_}, slopes_.end(), state);
  }
  if (status != StepStatus::kOk) return status;
  if (is_implicit) {
    start_q_ = before_.q();
    actuators_.settle(level_, dt_s, start_q_, state, start_dq_, changes.dq, changes.dv, changes.dz);
    plant_.actuators().settle(level_, dt_s, start_q_, state);
    if (!plant_.actuators().has_met_prediction()) return StepStatus::kNotConverged;  // the plant repeats such a step
  } else {
    actuators_.finish(level_, state, changes.dq, changes.dv, changes.dz);
    plant_.actuators().finish(level_, state);
  }
  return StepStatus::kOk;
}

}  // namespace kinloop
