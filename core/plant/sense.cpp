// What the sensors show, and the signals as they truly are.
#include <Eigen/Geometry>
#include <algorithm>
#include <limits>

#include "core/base/at.hpp"
#include "core/base/require.hpp"
#include "core/dynamics/reactions/reaction_sweep.hpp"
#include "core/forces/contact.hpp"
#include "core/forces/rope.hpp"
#include "core/kinematics/body_output.hpp"
#include "core/kinematics/forward_kinematics.hpp"
#include "core/plant/plant.hpp"

namespace kinloop {
namespace {

double true_value_of_place(const Model& model, const Workspace& ws, const Signal& signal) noexcept {
  const BodyOutput body = body_output(model, ws, signal.body);
  const Vector3 arm = body.R * signal.point;
  switch (signal.kind) {
    case SignalKind::kPosition:
      return (body.p + arm)[signal.axis];
    case SignalKind::kVelocity:
      return (body.v_origin + body.omega.cross(arm))[signal.axis];
    case SignalKind::kAcceleration:
      return (body.a_origin + body.alpha.cross(arm) + body.omega.cross(body.omega.cross(arm)))[signal.axis];
    default:
      return body.omega[signal.axis];
  }
}

double true_value_of_rope(const Model& model, const Workspace& ws, const Signal& signal, const State& state) noexcept {
  const Rope& rope = model.ropes()[at(signal.index)];
  const RopeState now = rope_state(rope, state.q().data(), state.v().data(), ws);
  return signal.kind == SignalKind::kRopeTension ? now.tension_N : now.rest_length_m;
}

double true_value_of_reaction(const ReactionSweep& reactions, const Signal& signal) noexcept {
  const Reaction& reaction = signal.of_loop ? reactions.loop(signal.index) : reactions.joint(signal.index);
  return reaction.unique[at(signal.axis)] ? reaction.component(signal.axis) : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

void Plant::sense(State& state, std::span<Reading> readings) noexcept {
  require(readings.size() == sensors_.size(), "one reading for each sensor");
  evaluate_signals(state);
  double* memory = state.device_state().data();
  for (std::size_t i = 0; i < sensors_.size(); ++i) {
    const PlacedSensor& placed = sensors_[i];
    const Reading healthy = placed.sensor.read(state.step(), true_value(placed.signal, state), memory + placed.at);
    readings[i] = faults_.pass(i, state.step(), state.step(), healthy, memory + faults_at_);
  }
}

void Plant::evaluate_signals(const State& state) noexcept {
  if (senses_accelerations_) {
    gather_loads(state);  // of the last sub-step
    Dynamics& dynamics = *at(state.level()).dynamics;
    dynamics.begin_step(state);
    if (accelerations(model_, state, loads_, dynamics, sense_ws_) == StepStatus::kOk) {
      if (reactions_ != nullptr) reactions_->update(model_, sense_ws_);
      return;
    }
    if (reactions_ != nullptr) reactions_->clear();
    sense_ws_.vdot.setZero();  // the next step will fail and say why
    std::fill(sense_ws_.A.begin(), sense_ws_.A.end(), decltype(sense_ws_.A)::value_type{});
  } else if (senses_places_) {
    update_kinematics(model_, state, sense_ws_);
  }
}

double Plant::true_value(const Signal& signal, const State& state) const noexcept {
  switch (signal.kind) {
    case SignalKind::kCoordinate:
      return state.q()[signal.index];
    case SignalKind::kSpeed:
      return state.v()[signal.index];
    case SignalKind::kCoordinateAcceleration:
      return sense_ws_.vdot[signal.index];
    case SignalKind::kActuatorForce:
      return actuators_.force(signal.index, state);
    case SignalKind::kActuatorQuantity:
      return actuators_.quantity(signal.index, signal.quantity, state);
    case SignalKind::kPumpPressure:
      return actuators_.pump_pressure_Pa(signal.index, state);
    case SignalKind::kRopeTension:
    case SignalKind::kRopeLength:
      return true_value_of_rope(model_, sense_ws_, signal, state);
    case SignalKind::kContactForce:
      return contact_force(model_, signal.index, sense_ws_).norm();
    case SignalKind::kReaction:
      return true_value_of_reaction(*reactions_, signal);
    default:
      return true_value_of_place(model_, sense_ws_, signal);
  }
}

void Plant::true_signals(const State& state, std::span<double> signals) noexcept {
  require(signals.size() == sensors_.size(), "one signal for each sensor");
  evaluate_signals(state);
  for (std::size_t i = 0; i < sensors_.size(); ++i) signals[i] = true_value(sensors_[i].signal, state);
}

std::vector<DeviceStateEntry> Plant::device_state_entries(const State& state) const {
  std::vector<ActuatorSet::Shown> shown;
  for (const PlacedSensor& placed : sensors_) {
    const Signal& signal = placed.signal;
    if (signal.kind == SignalKind::kActuatorForce) shown.push_back({signal.index, ActuatorSet::kItsForce});
    if (signal.kind == SignalKind::kActuatorQuantity) shown.push_back({signal.index, signal.quantity});
  }
  // Accelerations show all forces.
  for (int i = 0; senses_accelerations_ && i < actuators_.size(); ++i) shown.push_back({i, ActuatorSet::kItsForce});
  return actuators_.entries(spec_, static_cast<std::uint64_t>(state.device_state()[kMovedAt]), shown);
}

}  // namespace kinloop
