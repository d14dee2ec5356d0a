// The chain rule through command chains and devices.
#include "core/plant/actuator_set_derivatives.hpp"

#include <algorithm>

#include "core/actuators/actuator_slopes.hpp"

namespace kinloop {

namespace {

// By which the inputs of a circuit are moved, to see how its damping changes.
constexpr double kOpeningStep = 1e-6;
constexpr double kPositionStep_m = 1e-6;
constexpr double kSpeedStep_m_s = 1e-6;
constexpr double kPressureStep_Pa = 4.0;

}  // namespace

ActuatorSetDerivatives::ActuatorSetDerivatives(const ActuatorSet& set)
    : set_(set), inputs_(set.ports_.size()), outputs_(inputs_.size()) {
  int most = 0;
  int largest = 0;
  int joints = 0;
  for (const ActuatorSet::Device& device : set.devices_) {
    most = std::max(most, ActuatorSlopes::size(device.ports.count(), device.size));
    largest = std::max(largest, device.size);
    joints = std::max(joints, device.ports.count());
  }
  memory_.resize(most);
  moved_state_.resize(largest);
  moved_inputs_.resize(joints);
  moved_outputs_.resize(joints);
  damping_by_.resize(joints, 3 * joints + largest);
  column_.resize(set.size(), 0);
  for (const int place : set.direct_forces()) is_direct_.push_back(place >= 0 ? 1 : 0);
  all_direct_ = std::all_of(is_direct_.begin(), is_direct_.end(), [](char direct) { return direct != 0; });
}

void ActuatorSetDerivatives::pass_command(int actuator, std::uint64_t moved, double command, const State& state,
                                          Eigen::Index column, RowMatrix& dz) noexcept {
  const ActuatorSet::Port& port = set_.ports_[actuator];
  const double* held = state.device_state().data() + port.chain_at;
  const CommandChain::Slopes slopes = port.chain.slopes(command, {held, at(port.chain.state_size())});
  commands_.resize(set_.size(), dz.cols());
  column_[actuator] = column;
  if (is_direct_[actuator] != 0) {
    dz.row(port.force_at).setZero();
    if (column >= 0) dz(port.force_at, column) = slopes.limited_by_command;
    return;
  }
  const int limited = port.chain_at + CommandChain::rate_place();
  const int lagged = port.chain_at + CommandChain::lag_place();
  dz.row(limited) *= slopes.limited_by_limited;
  if (column >= 0) dz(limited, column) += slopes.limited_by_command;

  const DelayLine& delay = port.chain.delay();
  const auto count = static_cast<std::uint64_t>(delay.size());
  const auto ago = [&](int steps) {
    return port.chain_at + CommandChainState::kHeld +
           static_cast<int>((moved + count - static_cast<std::uint64_t>(steps)) % count);
  };
  dz.row(ago(0)) = dz.row(limited);
  dz.row(lagged) *= slopes.lagged_by_lagged;
  dz.row(lagged) += (slopes.lagged_by_delayed * (1.0 - delay.part())) * dz.row(ago(delay.whole()));
  if (delay.part() > 0.0) dz.row(lagged) += (slopes.lagged_by_delayed * delay.part()) * dz.row(ago(delay.whole() + 1));
  commands_.row(actuator) = dz.row(lagged);
}

void ActuatorSetDerivatives::step(int level, const State& state, const MatrixX& dq, const MatrixX& dv, RowMatrix& dz,
                                  MatrixX& dtau) noexcept {
  pass_devices(level, 0, state, dq, dv, dz);
  dtau.setZero();
  for (int i = 0; i < set_.size(); ++i) {
    const ActuatorSet::Port& port = set_.ports_[i];
    if (is_direct_[i] == 0) dtau.row(port.speed) += dz.row(port.force_at);
  }
  add_direct_forces(dz, dtau);
}

void ActuatorSetDerivatives::finish(int level, const State& state, const MatrixX& dq, const MatrixX& dv,
                                    RowMatrix& dz) noexcept {
  pass_devices(level, set_.first_circuit_, state, dq, dv, dz);
}

void ActuatorSetDerivatives::add_direct_forces(const RowMatrix& dz, MatrixX& dtau) const noexcept {
  for (int i = 0; i < set_.size(); ++i) {
    const ActuatorSet::Port& port = set_.ports_[i];
    const Eigen::Index column = column_[i];
    if (is_direct_[i] != 0 && column >= 0) dtau(port.speed, column) += dz(port.force_at, column);
  }
}

/// The command that is held and the speed; the place is for the caller to tell.
ActuatorInput& ActuatorSetDerivatives::take_speed(int actuator, const State& state, const MatrixX& dv) noexcept {
  const ActuatorSet::Port& port = set_.ports_[actuator];
  ActuatorInput& input = inputs_[port.slot];
  input.command = set_.inputs_[port.slot].command;
  input.speed = state.v()[port.speed];
  speeds_.row(actuator) = dv.row(port.speed);
  return input;
}

void ActuatorSetDerivatives::pass_devices(int level, int first, const State& state, const MatrixX& dq,
                                          const MatrixX& dv, RowMatrix& dz) noexcept {
  if (all_direct_) return;
  positions_.resize(set_.size(), dz.cols());
  speeds_.resize(set_.size(), dz.cols());
  for (int i = 0; i < set_.size(); ++i) {
    const ActuatorSet::Port& port = set_.ports_[i];
    take_speed(i, state, dv).position = port.coordinate >= 0 ? state.q()[port.coordinate] : 0.0;
    positions_.row(i) = dq.row(port.speed);
  }
  for (int d = first; d < set_.devices_.count(); ++d) {
    if (is_direct(set_.devices_[d])) continue;
    differentiate_device(level, d, state, dz);
    write_device(d, dz);
  }
}

void ActuatorSetDerivatives::differentiate_device(int level, int d, const State& state, const RowMatrix& dz) noexcept {
  const ActuatorSet::Device& device = set_.devices_[d];
  const int joints = device.ports.count();
  ActuatorSlopes slopes(joints, device.size, memory_);
  set_.levels_[level][d]->differentiate({inputs_.data() + device.slot, at(joints)},
                                        {state.device_state().data() + device.at, at(device.size)}, slopes);
  columns_.resize(slopes.columns(), dz.cols());
  for (int j = 0; j < joints; ++j) {
    const int actuator = device.ports[j];
    const ActuatorSet::Port& port = set_.ports_[actuator];
    columns_.row(slopes.command(j)) = commands_.row(actuator);
    if (port.coordinate >= 0) {
      columns_.row(slopes.position(j)) = positions_.row(actuator);
    } else {
      columns_.row(slopes.position(j)).setZero();
    }
    columns_.row(slopes.speed(j)) = speeds_.row(actuator);
  }
  for (int i = 0; i < device.size; ++i) columns_.row(slopes.state_before(i)) = dz.row(device.at + i);
  rows_.resize(slopes.rows(), dz.cols());
  rows_.setZero();
  for (int r = 0; r < slopes.rows(); ++r) {
    for (int c = 0; c < slopes.columns(); ++c) {
      if (const double slope = slopes.at(r, c); slope != 0.0) rows_.row(r) += slope * columns_.row(c);
    }
  }
}

void ActuatorSetDerivatives::write_device(int d, RowMatrix& dz) const noexcept {
  const ActuatorSet::Device& device = set_.devices_[d];
  const int joints = device.ports.count();
  for (int j = 0; j < joints; ++j) dz.row(set_.ports_[device.ports[j]].force_at) = rows_.row(j);
  for (int i = 0; i < device.size; ++i) dz.row(device.at + i) = rows_.row(joints + i);
}

void ActuatorSetDerivatives::differentiate_damping(int level, int d, const State& state) noexcept {
  const ActuatorSet::Device& device = set_.devices_[d];
  const int joints = device.ports.count();
  const Actuator& actuator = *set_.levels_[level][d];
  const double* before = state.device_state().data() + device.at;
  const auto damping = [&](int column, double by, std::vector<ActuatorOutput>& outputs) {
    std::copy_n(inputs_.begin() + device.slot, joints, moved_inputs_.begin());
    std::copy_n(before, device.size, moved_state_.begin());
    if (column < joints) {
      moved_inputs_[column].command += by;
    } else if (column < 2 * joints) {
      moved_inputs_[column - joints].position += by;
    } else if (column < 3 * joints) {
      moved_inputs_[column - 2 * joints].speed += by;
    } else {
      moved_state_[column - 3 * joints] += by;
    }
    actuator.step({moved_inputs_.data(), at(joints)}, {moved_state_.data(), at(device.size)},
                  {outputs.data(), at(joints)});
  };
  for (int c = 0; c < 3 * joints + device.size; ++c) {
    const double h = c < joints       ? kOpeningStep
                     : c < 2 * joints ? kPositionStep_m
                     : c < 3 * joints ? kSpeedStep_m_s
                                      : kPressureStep_Pa;
    damping(c, h, moved_outputs_);
    for (int j = 0; j < joints; ++j) damping_by_(j, c) = -moved_outputs_[j].force_by_speed;
    damping(c, -h, moved_outputs_);
    for (int j = 0; j < joints; ++j) {
      damping_by_(j, c) = (damping_by_(j, c) + moved_outputs_[j].force_by_speed) / (2.0 * h);
    }
  }
  damping(0, 0.0, moved_outputs_);
  for (int j = 0; j < joints; ++j) {
    if (!(moved_outputs_[j].force_by_speed < 0.0)) damping_by_.row(j).setZero();
  }
}

void ActuatorSetDerivatives::predict(int level, double dt_s, const State& state, const MatrixX& dq, const MatrixX& dv,
                                     const RowMatrix& dz, LoadSlopes& loads) noexcept {
  for (MatrixX* matrix : {&loads.tau, &loads.stiffness, &loads.stiffness_from, &loads.damping, &loads.damping_from}) {
    matrix->setZero();
  }
  positions_.resize(set_.size(), dz.cols());
  speeds_.resize(set_.size(), dz.cols());
  for (int i = 0; i < set_.size(); ++i) {
    const ActuatorSet::Port& port = set_.ports_[i];
    ActuatorInput& input = take_speed(i, state, dv);
    input.position = port.coordinate >= 0 ? state.q()[port.coordinate] + 0.5 * dt_s * input.speed : 0.0;
    positions_.row(i) = dq.row(port.speed) + 0.5 * dt_s * dv.row(port.speed);
    if (ActuatorSet::encloses_oil(port)) {
      loads.stiffness_from.row(port.speed) = dq.row(port.speed) + dt_s * dv.row(port.speed);
    } else {
      loads.damping_from.row(port.speed) = dv.row(port.speed);
    }
  }
  for (int d = 0; d < set_.devices_.count(); ++d) {
    const ActuatorSet::Device& device = set_.devices_[d];
    if (is_direct(device)) continue;
    differentiate_device(level, d, state, dz);
    const int joints = device.ports.count();
    for (int j = 0; j < joints; ++j) {
      loads.tau.row(set_.ports_[device.ports[j]].speed) += rows_.row(j);
    }
    if (device.pump < 0) continue;  // the damping of all others is a constant
    differentiate_damping(level, d, state);
    for (int j = 0; j < joints; ++j) {
      auto to = loads.stiffness.row(set_.ports_[device.ports[j]].speed);
      for (Eigen::Index c = 0; c < columns_.rows(); ++c) to += (damping_by_(j, c) / dt_s) * columns_.row(c);
    }
  }
  add_direct_forces(dz, loads.tau);
}

void ActuatorSetDerivatives::settle(int level, double dt_s, const VectorX& q, const State& state, const MatrixX& dq,
                                    const MatrixX& dq1, const MatrixX& dv1, RowMatrix& dz) noexcept {
  for (int i = 0; i < set_.size(); ++i) {  // all others keep the place of predict()
    const ActuatorSet::Port& port = set_.ports_[i];
    ActuatorInput& input = inputs_[port.slot];
    input.speed = state.v()[port.speed];
    speeds_.row(i) = dv1.row(port.speed);
    if (!ActuatorSet::encloses_oil(port)) continue;
    const double end = state.q()[port.coordinate];
    input.position = 0.5 * (q[port.coordinate] + end);
    input.speed = (end - q[port.coordinate]) / dt_s;
    positions_.row(i) = 0.5 * (dq.row(port.speed) + dq1.row(port.speed));
    speeds_.row(i) = (dq1.row(port.speed) - dq.row(port.speed)) / dt_s;
  }
  for (int d = 0; d < set_.devices_.count(); ++d) {
    if (is_direct(set_.devices_[d])) continue;
    differentiate_device(level, d, state, dz);
    write_device(d, dz);
  }
}

ActuatorSetDerivatives::Ring ActuatorSetDerivatives::delay_ring(int place) const noexcept {
  for (const ActuatorSet::Port& port : set_.ports_) {
    const Ring ring{port.chain_at + CommandChainState::kHeld, port.chain.delay().size()};
    if (place >= ring.at && place < ring.at + ring.size) return ring;
  }
  return {0, 0};
}

void ActuatorSetDerivatives::add_forces(const RowMatrix& dz, MatrixX& dtau) const noexcept {
  for (const ActuatorSet::Port& port : set_.ports_) dtau.row(port.speed) += dz.row(port.force_at);
}

}  // namespace kinloop
