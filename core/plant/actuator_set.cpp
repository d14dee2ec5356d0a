// Lays the actuators out in the device state, and steps them.
#include "core/plant/actuator_set.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/base/field_path.hpp"
#include "core/plant/coordinate_names.hpp"
#include "core/plant/step_input.hpp"

namespace kinloop {

Result<ActuatorSet> ActuatorSet::make(const Model& model, const PlantSpec& spec, int begin) {
  if (spec.actuators.size() > kMaxActuators) {
    return Error{"actuators", "at most " + std::to_string(kMaxActuators) + " fit into a command"};
  }
  ActuatorSet set;
  set.begin_ = set.end_ = begin;
  for (std::size_t i = 0; i < spec.actuators.size(); ++i) {
    if (const Result<bool> added = set.add_port(model, spec, i); !added) return added.error();
  }
  if (const Result<bool> added = set.add_circuits(spec); !added) return added.error();
  int slot = 0;
  for (std::size_t d = 0; d < set.devices_.size(); ++d) {
    Device& device = set.devices_[d];
    device.slot = slot;
    int joint = 0;
    for (const int i : device.ports) {
      Port& port = set.ports_[i];
      port.device = static_cast<int>(d);
      port.joint = joint++;
      port.slot = slot++;
    }
  }
  set.inputs_.resize(set.ports_.size());
  set.outputs_.resize(set.ports_.size());
  set.predictions_.resize(set.ports_.size());
  set.kept_.resize(set.end_ - set.begin_);
  return set;
}

int ActuatorSet::take(int doubles) noexcept { return std::exchange(end_, end_ + doubles); }

Result<bool> ActuatorSet::add_port(const Model& model, const PlantSpec& spec, std::size_t i) {
  constexpr int kLeastOwn = 1;  // so lie the states that were saved since the first version
  const ActuatorSpec& actuator = spec.actuators[i];
  const std::string path = item_path("actuators", i);
  const Result<int> speed = find_speed(model, actuator.joint);
  if (!speed) return Error{path + ".joint", speed.error().what};
  const CoordinateConstants& coordinate = model.coordinate(*speed);
  if (coordinate.motion >= 0) return Error{path + ".joint", "its motion is prescribed: no force can move it"};
  const ActuatorType& type = actuator_type(actuator.kind);
  int pump = -1;
  if (type.is_fed_by_pump()) {
    const auto found = std::find_if(spec.pumps.begin(), spec.pumps.end(),
                                    [&](const PumpSpec& candidate) { return candidate.name == actuator.pump; });
    if (found == spec.pumps.end()) return Error{path + ".pump", "there is no pump '" + actuator.pump + "'"};
    if (coordinate.q < 0) {
      return Error{path + ".joint", "a " + std::string(type.noun) + " needs a coordinate that is a length"};
    }
    pump = static_cast<int>(found - spec.pumps.begin());
  }
  const int own_size = pump >= 0 ? kLeastOwn : std::max(kLeastOwn, type.make(actuator, {spec.dt_s})->state_size());
  const CommandChain chain(actuator.chain, spec.dt_s);
  const int chain_at = take(chain.state_size());
  const int force_at = take(1);
  const int own_at = take(own_size);
  ports_.push_back({&type, chain, *speed, coordinate.q, chain_at, force_at, end_, pump, -1, 0, 0});
  if (pump < 0) devices_.push_back({own_at, own_size, -1, {static_cast<int>(i)}, 0});
  return true;
}

Result<bool> ActuatorSet::add_circuits(const PlantSpec& spec) {
  first_circuit_ = devices_.count();
  for (std::size_t p = 0; p < spec.pumps.size(); ++p) {
    IndexedVector<int> fed;
    for (int i = 0; i < size(); ++i) {
      if (ports_[i].pump == static_cast<int>(p)) fed.push_back(i);
    }
    if (fed.size() > HydraulicCircuit::kMaxCylinders) {
      return Error{item_path("pumps", p),
                   "feeds more than " + std::to_string(HydraulicCircuit::kMaxCylinders) + " cylinders"};
    }
    const int doubles = HydraulicState::size(fed.count());
    devices_.push_back({take(doubles), doubles, static_cast<int>(p), fed, 0});
  }
  return true;
}

void ActuatorSet::add_level(const PlantSpec& spec, const ActuatorStep& step) {
  IndexedVector<std::unique_ptr<Actuator>>& made = levels_.emplace_back();
  for (const Device& device : devices_) {
    std::vector<const ActuatorSpec*> specs;
    for (const int i : device.ports) specs.push_back(&spec.actuators[i]);
    if (device.pump >= 0) {
      made.push_back(make_circuit(spec.pumps[device.pump], specs, step));
    } else {
      made.push_back(ports_[device.ports[0]].type->make(*specs[0], step));
    }
  }
}

void ActuatorSet::start(const PlantSpec& spec, State& state) const noexcept {
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    ports_[i].chain.start(spec.actuators[i].initial, chain_state(ports_[i], state));
  }
  for (std::size_t d = 0; d < devices_.size(); ++d) {
    levels_[0][d]->start({state.device_state().data() + devices_[d].at, at(devices_[d].size)});
  }
}

void ActuatorSet::pass_command(int actuator, std::uint64_t moved, double command, State& state) noexcept {
  const Port& port = ports_[actuator];
  inputs_[port.slot].command = port.chain.pass(moved, command, chain_state(port, state));
}

void ActuatorSet::step(int level, State& state) noexcept {
  read_joints(state);
  step_devices(level, 0, state.device_state().data());
}

void ActuatorSet::finish(int level, State& state) noexcept {
  if (first_circuit_ == devices_.count()) return;
  read_joints(state);
  step_devices(level, first_circuit_, state.device_state().data());
}

void ActuatorSet::read_joints(const State& state) noexcept {
  for (const Port& port : ports_) {
    ActuatorInput& input = inputs_[port.slot];
    input.position = port.coordinate >= 0 ? state.q()[port.coordinate] : 0.0;
    input.speed = state.v()[port.speed];
  }
}

void ActuatorSet::step_devices(int level, int first, double* device_state) noexcept {
  for (int d = first; d < devices_.count(); ++d) {
    const Device& device = devices_[d];
    levels_[level][d]->step({inputs_.data() + device.slot, device.ports.size()},
                            {device_state + device.at, at(device.size)},
                            {outputs_.data() + device.slot, device.ports.size()});
  }
  for (const Port& port : ports_) device_state[port.force_at] = outputs_[port.slot].force;
}

void ActuatorSet::predict(int level, double dt_s, Around around, State& state, Loads& loads) noexcept {
  constexpr double kFar = std::numeric_limits<double>::infinity();
  auto own = state.device_state().segment(begin_, end_ - begin_);
  kept_ = own;
  for (const Port& port : ports_) {
    ActuatorInput& input = inputs_[port.slot];
    Prediction& made = predictions_[port.slot];
    if (around == Around::kSpeeds) {
      made.start_N = state.device_state()[port.force_at];
      made.lower_m_s = -kFar;
      made.upper_m_s = kFar;
    }
    const bool is_aimed = around == Around::kAim && encloses_oil(port);
    input.speed = is_aimed ? made.aim_m_s : state.v()[port.speed];
    input.position = port.coordinate >= 0 ? state.q()[port.coordinate] + 0.5 * dt_s * input.speed : 0.0;
  }
  step_devices(level, 0, state.device_state().data());
  own = kept_;
  for (const Port& port : ports_) {
    const double speed = inputs_[port.slot].speed;
    const double force = outputs_[port.slot].force;
    const double damping = std::max(0.0, -outputs_[port.slot].force_by_speed);
    loads.tau[port.speed] += force;
    if (encloses_oil(port)) {
      // The speed that counts is the way by the time: d force / d way = d force / d speed / dt.
      loads.stiffness[port.speed] += damping / dt_s;
      loads.stiffness_from[port.speed] = state.q()[port.coordinate] + dt_s * speed;
      Prediction& made = predictions_[port.slot];
      made.force_N = force;
      made.damping_N_s_m = damping;
      made.speed_m_s = speed;
    } else {
      loads.damping[port.speed] += damping;
      loads.damping_from[port.speed] = speed;
    }
  }
}

void ActuatorSet::settle(int level, double dt_s, const VectorX& q, State& state) noexcept {
  for (const Port& port : ports_) {
    ActuatorInput& input = inputs_[port.slot];
    input.speed = state.v()[port.speed];
    if (!encloses_oil(port)) continue;
    const double end = state.q()[port.coordinate];
    input.position = 0.5 * (q[port.coordinate] + end);
    input.speed = (end - q[port.coordinate]) / dt_s;
  }
  step_devices(level, 0, state.device_state().data());
  for (const Port& port : ports_) {
    if (!encloses_oil(port)) continue;
    Prediction& made = predictions_[port.slot];
    made.led_to_m_s = inputs_[port.slot].speed;
    made.settled_N = outputs_[port.slot].force;
    made.missed_N = made.settled_N - made.force_N + made.damping_N_s_m * (made.led_to_m_s - made.speed_m_s);
  }
}

bool ActuatorSet::has_met_prediction() const noexcept {
  constexpr double kShareOfChange = 0.1;
  constexpr double kShareOfForce = 1e-3;
  constexpr double kResolution_Pa = 100.0;  // circuits are solved to 1 Pa
  return std::all_of(ports_.begin(), ports_.end(), [&](const Port& port) {
    if (!encloses_oil(port)) return true;
    const Prediction& made = predictions_[port.slot];
    const double area_m2 = levels_[0][port.device]->quantity(port.joint, 0).force_per_unit;
    return std::abs(made.missed_N) <= kShareOfChange * std::abs(made.settled_N - made.start_N) +
                                          kShareOfForce * std::abs(made.settled_N) + kResolution_Pa * area_m2;
  });
}

/// The mechanism needs the more force the faster it is to go, the oil gives the less: where it gave more than was
/// predicted, the solution is faster, and faster than the prediction's own speed where the sub-step went beyond that.
void ActuatorSet::aim() noexcept {
  for (const Port& port : ports_) {
    if (!encloses_oil(port)) continue;
    Prediction& made = predictions_[port.slot];
    const auto lies_above = [&](double speed, bool above) {
      double& side = above ? made.lower_m_s : made.upper_m_s;
      side = above ? std::max(side, speed) : std::min(side, speed);
    };
    const double width_m_s = made.upper_m_s - made.lower_m_s;
    const bool is_between = made.led_to_m_s > made.lower_m_s && made.led_to_m_s < made.upper_m_s;
    lies_above(made.speed_m_s, made.led_to_m_s > made.speed_m_s);
    lies_above(made.led_to_m_s, made.missed_N > 0.0);
    const double left_m_s = made.upper_m_s - made.lower_m_s;
    made.aim_m_s =
        is_between && left_m_s <= 0.5 * width_m_s ? made.led_to_m_s : 0.5 * (made.lower_m_s + made.upper_m_s);
    if (!std::isfinite(made.aim_m_s)) made.aim_m_s = made.led_to_m_s;
  }
}

std::vector<Drive> ActuatorSet::drives(const PlantSpec& spec, int level, const State& start) const {
  VectorX device_state = start.device_state();
  std::vector<ActuatorInput> inputs(ports_.size());
  std::vector<ActuatorOutput> outputs(ports_.size());
  for (const Port& port : ports_) {
    inputs[port.slot] = {0.0, port.coordinate >= 0 ? start.q()[port.coordinate] : 0.0, start.v()[port.speed]};
  }
  for (std::size_t d = 0; d < devices_.size(); ++d) {
    const Device& device = devices_[d];
    levels_[level][d]->step({inputs.data() + device.slot, device.ports.size()},
                            {device_state.data() + device.at, at(device.size)},
                            {outputs.data() + device.slot, device.ports.size()});
  }
  std::vector<Drive> found;
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    const Port& port = ports_[i];
    // A winding answers late, and an explicit step the later: a joint on it swings up where the step is longer than two
    // time constants of the joint on the settled winding, however slow the winding is.
    const double damping = std::max(-outputs[port.slot].force_by_speed,
                                    levels_[level][port.device]->steady_damping(port.joint));
    if (damping > 0.0) found.push_back({spec.actuators[i].name, ports_[i].speed, damping});
  }
  return found;
}

void ActuatorSet::add_forces(const State& state, VectorX& tau) const noexcept {
  for (const Port& port : ports_) tau[port.speed] += state.device_state()[port.force_at];
}

ActuatorQuantity ActuatorSet::quantity_of(int actuator, int number) const noexcept {
  const Port& port = ports_[actuator];
  ActuatorQuantity found = levels_[0][port.device]->quantity(port.joint, number);
  found.place += devices_[port.device].at;
  return found;
}

int ActuatorSet::flaw_in(std::span<const double> device_state) const noexcept {
  for (const Port& port : ports_) {
    const int flaw = port.chain.flaw_in(device_state.subspan(at(port.chain_at), at(port.chain.state_size())));
    if (flaw >= 0) return port.chain_at + flaw;
  }
  return -1;
}

int ActuatorSet::owner(int place) const noexcept {
  for (int i = 0; i < size(); ++i) {
    if (place >= ports_[i].chain_at && place < ports_[i].end) return i;
  }
  return -1;
}

}  // namespace kinloop
