// The chain rule through command chains and devices.
#include "core/plant/actuator_set_derivatives.hpp"

#include <algorithm>

#include "core/actuators/actuator_slopes.hpp"

namespace kinloop {

ActuatorSetDerivatives::ActuatorSetDerivatives(const ActuatorSet& set) : set_(set), inputs_(set.ports_.size()) {
  int most = 0;
  for (const ActuatorSet::Device& device : set.devices_) {
    most = std::max(most, ActuatorSlopes::size(static_cast<int>(device.ports.size()), device.size));
  }
  memory_.resize(at(most));
  column_.resize(at(set.size()), 0);
  for (const int place : set.direct_forces()) is_direct_.push_back(place >= 0 ? 1 : 0);
}

void ActuatorSetDerivatives::pass_command(int actuator, std::uint64_t moved, double command, const State& state,
                                          Eigen::Index column, RowMatrix& dz) noexcept {
  const ActuatorSet::Port& port = set_.ports_[at(actuator)];
  const double* held = state.device_state().data() + port.chain_at;
  const CommandChain::Slopes slopes = port.chain.slopes(command, {held, at(port.chain.state_size())});
  commands_.resize(set_.size(), dz.cols());
  column_[at(actuator)] = column;
  if (is_direct_[at(actuator)] != 0) {
    dz.row(port.force_at).setZero();
    dz(port.force_at, column) = slopes.limited_by_command;
    return;
  }
  const int limited = port.chain_at + CommandChain::rate_place();
  const int lagged = port.chain_at + CommandChain::lag_place();
  dz.row(limited) *= slopes.limited_by_limited;
  dz(limited, column) += slopes.limited_by_command;

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
    const ActuatorSet::Port& port = set_.ports_[at(i)];
    if (is_direct_[at(i)] != 0) {
      dtau(port.speed, column_[at(i)]) += dz(port.force_at, column_[at(i)]);
    } else {
      dtau.row(port.speed) += dz.row(port.force_at);
    }
  }
}

void ActuatorSetDerivatives::finish(int level, const State& state, const MatrixX& dq, const MatrixX& dv,
                                    RowMatrix& dz) noexcept {
  pass_devices(level, set_.first_circuit_, state, dq, dv, dz);
}

void ActuatorSetDerivatives::pass_devices(int level, int first, const State& state, const MatrixX& dq,
                                          const MatrixX& dv, RowMatrix& dz) noexcept {
  for (const ActuatorSet::Port& port : set_.ports_) {
    ActuatorInput& input = inputs_[at(port.slot)];
    input.command = set_.inputs_[at(port.slot)].command;
    input.position = port.coordinate >= 0 ? state.q()[port.coordinate] : 0.0;
    input.speed = state.v()[port.speed];
  }
  for (int d = first; d < set_.devices_.count(); ++d) {
    const ActuatorSet::Device& device = set_.devices_[d];
    if (device.pump < 0 && is_direct_[at(device.ports[0])] != 0) continue;
    const auto joints = static_cast<int>(device.ports.size());
    ActuatorSlopes slopes(joints, device.size, memory_);
    set_.levels_[at(level)][at(d)]->differentiate({inputs_.data() + device.slot, at(joints)},
                                                  {state.device_state().data() + device.at, at(device.size)}, slopes);
    columns_.resize(slopes.columns(), dz.cols());
    for (int j = 0; j < joints; ++j) {
      const int actuator = device.ports[at(j)];
      const ActuatorSet::Port& port = set_.ports_[at(actuator)];
      columns_.row(slopes.command(j)) = commands_.row(actuator);
      if (port.coordinate >= 0) {
        columns_.row(slopes.position(j)) = dq.row(port.speed);
      } else {
        columns_.row(slopes.position(j)).setZero();
      }
      columns_.row(slopes.speed(j)) = dv.row(port.speed);
    }
    for (int i = 0; i < device.size; ++i) columns_.row(slopes.state_before(i)) = dz.row(device.at + i);
    rows_.resize(slopes.rows(), dz.cols());
    rows_.setZero();
    for (int r = 0; r < slopes.rows(); ++r) {
      for (int c = 0; c < slopes.columns(); ++c) {
        if (const double slope = slopes.at(r, c); slope != 0.0) rows_.row(r) += slope * columns_.row(c);
      }
    }
    for (int j = 0; j < joints; ++j) {
      dz.row(set_.ports_[at(device.ports[at(j)])].force_at) = rows_.row(slopes.force(j));
    }
    for (int i = 0; i < device.size; ++i) dz.row(device.at + i) = rows_.row(slopes.state_after(i));
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
