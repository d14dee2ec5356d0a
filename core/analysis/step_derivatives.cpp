// One column for every entry of x, every command and every parameter, passed through the step.
#include "core/analysis/step_derivatives.hpp"

#include "core/base/at.hpp"
#include "core/derivatives/rotation_slopes.hpp"
#include "core/kinematics/configuration.hpp"
#include "core/kinematics/forward_kinematics.hpp"
#include "core/kinematics/loop_constraints.hpp"
#include "core/spatial/lanes.hpp"

namespace kinloop {

StepDerivatives::StepDerivatives(Plant& plant, int level, const std::vector<char>& independent, const State& like,
                                 EndChart chart, ParameterForces* parameters)
    : plant_(plant),
      model_(plant.model()),
      chart_(chart),
      moved_(Plant::moved(like)),
      propagator_(plant, level, like),
      start_(model_),
      state_(like),
      ws_(model_),
      increment_(VectorX::Zero(model_.nv())) {
  propagator_.set_independent(independent);
  propagator_.set_parameters(parameters);
  start_.set_independent(independent);
  independents_ = start_.independents();
  is_open_ = !model_.has_loops() && static_cast<int>(independents_.size()) == model_.nv();
  for (const DeviceStateEntry& entry : plant.device_state_entries(like)) {
    const auto [ring_at, ring_size] = propagator_.actuators().delay_ring(entry.at);
    entries_.push_back({entry.at, ring_at, ring_size, entry.force_at, entry.force_per_unit});
  }
  const auto k = static_cast<Eigen::Index>(independents_.size());
  const Eigen::Index n = 2 * k + static_cast<Eigen::Index>(entries_.size());
  const auto inputs = static_cast<Eigen::Index>(plant.actuator_count());
  const Eigen::Index parameter_count = parameters != nullptr ? parameters->count() : 0;
  const Eigen::Index columns = n + inputs + parameter_count;
  A_ = MatrixX::Zero(n, n);
  B_ = MatrixX::Zero(n, inputs);
  P_ = MatrixX::Zero(n, parameter_count);
  changes_ = {MatrixX::Zero(model_.nv(), columns), MatrixX::Zero(model_.nv(), columns),
              RowMatrix::Zero(plant.actuators().end(), columns)};
  faster_ = MatrixX::Zero(model_.nv(), k);
  rows_ = MatrixX::Zero(constraint_rows(model_), k);
}

int StepDerivatives::entry_at(std::size_t entry, std::uint64_t moved) const noexcept {
  const Entry& e = entries_[entry];
  if (e.ring_size == 0) return e.at;
  const auto size = static_cast<std::int64_t>(e.ring_size);
  const std::int64_t on = static_cast<std::int64_t>(moved) - static_cast<std::int64_t>(moved_);
  const std::int64_t place = ((e.at - e.ring_at + on) % size + size) % size;
  return e.ring_at + static_cast<int>(place);
}

/// One column for each entry of x, all others are zero.
bool StepDerivatives::place(const State& state) noexcept {
  const auto k = static_cast<Eigen::Index>(independents_.size());
  auto& [dq, dv, dz] = changes_;
  // Whose units the step fills in by itself, and actuators do not ask for.
  const bool is_bare = is_open_ && propagator_.actuators().all_direct();
  if (!is_bare) {
    dq.setZero();
    dv.setZero();
    dz.setZero();
  }
  if (model_.has_loops()) {
    update_kinematics(model_, state, ws_);
    update_loop_constraints(model_, state, ws_);
    if (!start_.update_tangent(state.q().data(), state.v().data(), ws_)) return false;
    rows_.noalias() = -start_.loops().rate_by_q() * start_.dofs();
    start_.dependents(rows_, faster_);
    dq.leftCols(k) = start_.dofs();
    dv.leftCols(k) = faster_;
    dv.middleCols(k, k) = start_.dofs();
  } else if (!is_bare) {
    for (Eigen::Index i = 0; i < k; ++i) dq(independents_[at(i)], i) = dv(independents_[at(i)], k + i) = 1.0;
  }
  for (std::size_t e = 0; e < entries_.size(); ++e) {
    const Eigen::Index column = 2 * k + static_cast<Eigen::Index>(e);
    dz(entry_at(e, Plant::moved(state)), column) = 1.0;
    if (entries_[e].force_at >= 0) dz(entries_[e].force_at, column) = entries_[e].force_per_unit;
  }
  return true;
}

StepStatus StepDerivatives::update(const State& state, const StepInput& input) noexcept {
  if (!place(state)) return StepStatus::kSingularMass;
  state_.block() = state.block();
  state_.set_history_count(0);  // x does not describe it
  const auto from = is_open_ ? StepPropagator::From::kUnits : StepPropagator::From::kAny;
  const StepStatus status = propagator_.step(input, states(), from, state_, changes_);
  if (status != StepStatus::kOk) return status;
  read(state);
  // 0 * x is 0 for every finite x and not a number otherwise, so one sum tells of all.
  const double finite = (0.0 * A_).sum() + (0.0 * B_).sum() + (0.0 * P_).sum();
  return finite == 0.0 ? StepStatus::kOk : StepStatus::kDiverged;
}

void StepDerivatives::read(const State& base) noexcept {
  auto& [dq, dv, dz] = changes_;
  if (chart_ == EndChart::kOfStart) {
    configuration_difference(model_, base.q().data(), state_.q().data(), increment_.data());
    difference_slopes(model_, increment_.data(), dq);
  }
  const auto k = static_cast<Eigen::Index>(independents_.size());
  Eigen::Index first = 0;
  for (MatrixX* part : {&A_, &B_, &P_}) {
    for (Eigen::Index c = 0; c < part->cols(); ++c) {
      double* to = part->col(c).data();
      const double* from_q = dq.col(first + c).data();
      const double* from_v = dv.col(first + c).data();
      if (is_open_) {  // all speeds, in their order
        copy_lanes(from_q, k, to);
        copy_lanes(from_v, k, to + k);
        continue;
      }
      for (Eigen::Index i = 0; i < k; ++i) {
        to[i] = from_q[independents_[at(i)]];
        to[k + i] = from_v[independents_[at(i)]];
      }
    }
    for (std::size_t e = 0; e < entries_.size(); ++e) {
      const int place = entry_at(e, Plant::moved(state_));
      part->row(2 * k + static_cast<Eigen::Index>(e)) = dz.row(place).segment(first, part->cols());
    }
    first += part->cols();
  }
}

}  // namespace kinloop
