// The plant's step once more, beside what small changes become in it.
#include "core/analysis/step_derivatives.hpp"

#include "core/base/at.hpp"
#include "core/derivatives/rotation_slopes.hpp"
#include "core/kinematics/configuration.hpp"
#include "core/kinematics/forward_kinematics.hpp"
#include "core/kinematics/loop_constraints.hpp"

namespace kinloop {

std::string StepDerivatives::refusal(const Plant& plant, int level) {
  const std::string& integrator = plant.integrator(level).name;
  if (std::string refused = StepSlopes::refusal(plant.model(), integrator); !refused.empty()) return refused;
  const bool has_closed_forms = plant.dynamics_name(level) == "partition" && plant.model().has_loops();
  if (has_closed_forms && integrator == "semi_implicit_euler") {
    return "formulation partition, which closes loops in its own way";
  }
  return {};
}

StepDerivatives::StepDerivatives(Plant& plant, int level, const std::vector<char>& independent, const State& like)
    : plant_(plant),
      model_(plant.model()),
      level_(level),
      moved_(Plant::moved(like)),
      actuators_(plant.actuators()),
      slopes_(model_, plant.integrator(level).name, plant.stabilization(level)),
      start_(model_),
      integrator_(make_integrator(plant.integrator(level).name, model_).value()),
      state_(like),
      before_(like),
      ws_(model_),
      loads_(model_),
      no_loads_(model_),
      increment_(VectorX::Zero(model_.nv())) {
  integrator_->loops().settings() = plant.stabilization(level);
  slopes_.set_independent(independent);
  start_.set_independent(independent);
  independents_ = start_.independents();
  is_open_ = !model_.has_loops() && static_cast<int>(independents_.size()) == model_.nv();
  for (const DeviceStateEntry& entry : plant.device_state_entries(like)) {
    const auto [ring_at, ring_size] = actuators_.delay_ring(entry.at);
    entries_.push_back({entry.at, ring_at, ring_size, entry.force_at, entry.force_per_unit});
  }
  const auto k = static_cast<Eigen::Index>(independents_.size());
  const Eigen::Index n = 2 * k + static_cast<Eigen::Index>(entries_.size());
  const auto inputs = static_cast<Eigen::Index>(plant.actuator_count());
  A_ = MatrixX::Zero(n, n);
  B_ = MatrixX::Zero(n, inputs);
  dq_ = dv_ = dtau_ = MatrixX::Zero(model_.nv(), n + inputs);
  dz_ = RowMatrix::Zero(plant.actuators().end(), n + inputs);
  moved_by_ = faster_ = MatrixX::Zero(model_.nv(), k);
  rows_ = MatrixX::Zero(constraint_rows(model_), k);
  loads_.wrenches.reserve(OutsideForces::kMax);
}

int StepDerivatives::entry_at(std::size_t entry, std::uint64_t moved) const noexcept {
  const Entry& e = entries_[entry];
  if (e.ring_size == 0) return e.at;
  const auto size = static_cast<std::int64_t>(e.ring_size);
  const std::int64_t on = static_cast<std::int64_t>(moved) - static_cast<std::int64_t>(moved_);
  const std::int64_t place = ((e.at - e.ring_at + on) % size + size) % size;
  return e.ring_at + static_cast<int>(place);
}

/// One column for each entry of x, the columns of u are zero.
bool StepDerivatives::place(const State& state) noexcept {
  const auto k = static_cast<Eigen::Index>(independents_.size());
  dq_.setZero();
  dv_.setZero();
  dz_.setZero();
  if (model_.has_loops()) {
    update_kinematics(model_, state, ws_);
    update_loop_constraints(model_, state.q().data(), state.v().data(), ws_);
    if (!start_.update_tangent(state.q().data(), state.v().data(), ws_)) return false;
    rows_.noalias() = -start_.loops().rate_by_q() * start_.dofs();
    start_.dependents(rows_, faster_);
    dq_.leftCols(k) = start_.dofs();
    dv_.leftCols(k) = faster_;
    dv_.middleCols(k, k) = start_.dofs();
  } else {
    for (Eigen::Index i = 0; i < k; ++i) dq_(independents_[at(i)], i) = dv_(independents_[at(i)], k + i) = 1.0;
  }
  for (std::size_t e = 0; e < entries_.size(); ++e) {
    const Eigen::Index column = 2 * k + static_cast<Eigen::Index>(e);
    dz_(entry_at(e, Plant::moved(state)), column) = 1.0;
    if (entries_[e].force_at >= 0) dz_(entries_[e].force_at, column) = entries_[e].force_per_unit;
  }
  return true;
}

StepStatus StepDerivatives::update(const State& state, const StepInput& input) noexcept {
  if (!place(state)) return StepStatus::kSingularMass;
  state_.block() = state.block();
  state_.set_history_count(0);  // x does not describe it
  state_.count_step();
  state_.set_level(level_);
  Plant::count_moved(state_);
  const std::uint64_t moved = Plant::moved(state_);
  for (int i = 0; i < plant_.actuators().size(); ++i) {
    actuators_.pass_command(i, moved, input.command[at(i)], state_, states() + i, dz_);
    plant_.actuators().pass_command(i, moved, input.command[at(i)], state_);
  }
  const double dt_s = plant_.substep_s(level_);
  Dynamics& dynamics = plant_.dynamics(level_);
  for (int i = 0; i < plant_.substeps(level_); ++i) {
    actuators_.step(level_, state_, dq_, dv_, dz_, dtau_);
    plant_.actuators().step(level_, state_);
    loads_.tau.setZero();
    plant_.actuators().add_forces(state_, loads_.tau);
    plant_.gather_wrenches(state_, loads_.wrenches);
    before_.block() = state_.block();
    StepStatus status = StepStatus::kOk;
    if (model_.has_loops()) {
      status = integrator_->step(model_, loads_, dt_s, dynamics, state_, ws_);
      if (!is_done(status)) return status;
    }
    const auto from = i == 0 && is_open_ ? StepSlopes::From::kUnits : StepSlopes::From::kAny;
    status = slopes_.advance(before_, state_, loads_, dt_s, dynamics, dtau_, from, dq_, dv_);
    if (status == StepStatus::kOk && !model_.has_loops()) {
      status = accept_step(model_, dt_s, {integrator_->loops(), dynamics, ws_}, slopes_.end(), state_);
    }
    if (status != StepStatus::kOk) return status;
    actuators_.finish(level_, state_, dq_, dv_, dz_);
    plant_.actuators().finish(level_, state_);
  }
  read(state);
  // 0 * x is 0 for every finite x and not a number otherwise, so one sum tells of all.
  const double finite = (0.0 * A_).sum() + (0.0 * B_).sum();
  return finite == 0.0 ? StepStatus::kOk : StepStatus::kDiverged;
}

void StepDerivatives::read(const State& base) noexcept {
  configuration_difference(model_, base.q().data(), state_.q().data(), increment_.data());
  difference_slopes(model_, increment_.data(), dq_);
  const auto k = static_cast<Eigen::Index>(independents_.size());
  const auto read_column = [&](Eigen::Index from, double* to) {
    for (Eigen::Index i = 0; i < k; ++i) {
      to[i] = dq_(independents_[at(i)], from);
      to[k + i] = dv_(independents_[at(i)], from);
    }
  };
  for (Eigen::Index c = 0; c < A_.cols(); ++c) read_column(c, A_.col(c).data());
  for (Eigen::Index c = 0; c < B_.cols(); ++c) read_column(A_.cols() + c, B_.col(c).data());
  for (std::size_t e = 0; e < entries_.size(); ++e) {
    const Eigen::Index row = 2 * k + static_cast<Eigen::Index>(e);
    const int place = entry_at(e, Plant::moved(state_));
    A_.row(row) = dz_.row(place).head(A_.cols());
    B_.row(row) = dz_.row(place).tail(B_.cols());
  }
}

}  // namespace kinloop
