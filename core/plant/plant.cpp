// Builds the plant from its description, and steps it.
#include "core/plant/plant.hpp"

#include <Eigen/Geometry>
#include <algorithm>

#include "core/base/field_path.hpp"
#include "core/constraints/consistent_initial_state.hpp"
#include "core/forces/contact.hpp"
#include "core/forces/rope.hpp"
#include "core/kinematics/body_output.hpp"
#include "core/kinematics/forward_kinematics.hpp"
#include "core/plant/coordinate_names.hpp"

namespace kinloop {
namespace {

Error inside(const std::string& path, const Error& error) {
  return {error.where.empty() ? path : path + ": " + error.where, error.what};
}

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
  const Rope& rope = model.ropes()[static_cast<std::size_t>(signal.index)];
  const RopeState now = rope_state(rope, state.q().data(), state.v().data(), ws);
  return signal.kind == SignalKind::kRopeTension ? now.tension_N : now.rest_length_m;
}

}  // namespace

Result<std::unique_ptr<Plant>> Plant::make(const Model& model, const PlantSpec& spec) {
  std::unique_ptr<Plant> plant(new Plant(model, spec));
  const Result<ClosedStart> start = consistent_initial_state(model, kRoundingOfFiles);
  if (!start) return start.error();
  plant->start_q_ = start->q;
  plant->start_v_ = start->v;
  for (const auto add : {&Plant::add_actuators, &Plant::add_levels, &Plant::add_sensors}) {
    if (const Result<bool> added = ((*plant).*add)(); !added) return added.error();
  }
  plant->add_disturbances();
  plant->before_.resize(State(model, plant->device_state_size_).block().size());
  return plant;
}

Plant::Plant(const Model& model, PlantSpec spec)
    : model_(model),
      spec_(std::move(spec)),
      faults_(spec_.sensors.size() + spec_.actuators.size(), spec_.longest_fault_delay_s, spec_.dt_s, spec_.seed),
      forces_from_outside_(model.body_count()),
      ws_(model),
      sense_ws_(model),
      loads_(model) {}

Result<bool> Plant::add_actuators() {
  const auto take = [this](int doubles) { return std::exchange(device_state_size_, device_state_size_ + doubles); };
  if (spec_.actuators.size() > kMaxActuators) {
    return Error{"actuators", "at most " + std::to_string(kMaxActuators) + " fit into a command"};
  }
  circuits_.resize(spec_.pumps.size());
  for (std::size_t i = 0; i < spec_.actuators.size(); ++i) {
    const ActuatorSpec& spec = spec_.actuators[i];
    const std::string path = item_path("actuators", i);
    const Result<int> speed = find_speed(model_, spec.joint);
    if (!speed) return Error{path + ".joint", speed.error().what};
    const CoordinateConstants& coordinate = model_.coordinate(*speed);
    if (coordinate.motion >= 0) return Error{path + ".joint", "its motion is prescribed: no force can move it"};
    const CommandChain chain(spec.chain, spec_.dt_s);
    actuators_.push_back(
        {chain, spec.kind, *speed, coordinate.q, take(chain.state_size()), take(1), take(DcMotor::state_size()), -1});
    if (spec.kind != ActuatorKind::kCylinder) continue;
    const auto pump = std::find_if(spec_.pumps.begin(), spec_.pumps.end(),
                                   [&](const PumpSpec& candidate) { return candidate.name == spec.pump; });
    if (pump == spec_.pumps.end()) return Error{path + ".pump", "there is no pump '" + spec.pump + "'"};
    if (coordinate.q < 0) return Error{path + ".joint", "a cylinder needs a coordinate that is a length"};
    circuits_[static_cast<std::size_t>(pump - spec_.pumps.begin())].actuators.push_back(i);
  }
  std::size_t max_cylinders = 0;
  for (std::size_t p = 0; p < circuits_.size(); ++p) {
    if (circuits_[p].actuators.size() <= HydraulicCircuit::kMaxCylinders) continue;
    return Error{item_path("pumps", p),
                 "feeds more than " + std::to_string(HydraulicCircuit::kMaxCylinders) + " cylinders"};
  }
  for (Circuit& circuit : circuits_) {
    circuit.at = take(HydraulicCircuit::chamber_a(static_cast<int>(circuit.actuators.size())));
    int cylinder = 0;
    for (const std::size_t a : circuit.actuators) {
      actuators_[a].chambers_at = circuit.at + HydraulicCircuit::chamber_a(cylinder++);
    }
    max_cylinders = std::max(max_cylinders, circuit.actuators.size());
  }
  effective_command_ = VectorX::Zero(static_cast<Eigen::Index>(actuators_.size()));
  openings_ = extensions_ = speeds_ = forces_ = VectorX::Zero(static_cast<Eigen::Index>(max_cylinders));
  return true;
}

Result<bool> Plant::add_levels() {
  require(!spec_.levels.empty(), "a plant has a solver");
  for (std::size_t i = 0; i < spec_.levels.size(); ++i) {
    const SolverLevel& spec = spec_.levels[i];
    const std::string path = item_path("levels", i);
    auto dynamics = make_dynamics(spec.dynamics, model_);
    if (!dynamics) return inside(path + ".dynamics", dynamics.error());
    auto integrator = make_integrator(spec.integrator, model_);
    if (!integrator) return inside(path + ".integrator", integrator.error());
    if (spec.substeps < 1) return Error{path + ".substeps", "must be 1 or more"};
    Level level{
        std::move(dynamics).value(), std::move(integrator).value(), spec.substeps, spec_.dt_s / spec.substeps, {}, {}};
    level.integrator->loops().settings() = spec.loops;
    for (const ActuatorSpec& actuator : spec_.actuators) level.motors.emplace_back(actuator.motor, level.dt_s);
    for (std::size_t p = 0; p < circuits_.size(); ++p) {
      std::vector<CylinderSettings> cylinders;
      for (const std::size_t a : circuits_[p].actuators) cylinders.push_back(spec_.actuators[a].cylinder);
      const double euler_step_s = spec.integrator == "semi_implicit_euler" ? level.dt_s : 0.0;
      level.circuits.emplace_back(spec_.pumps[p].settings, cylinders, level.dt_s, euler_step_s);
    }
    levels_.push_back(std::move(level));
  }
  return true;
}

Result<bool> Plant::add_sensors() {
  for (std::size_t i = 0; i < spec_.sensors.size(); ++i) {
    const SensorSpec& spec = spec_.sensors[i];
    const Result<Signal> signal = find_signal(model_, spec_, spec.signal);
    if (!signal) return Error{item_path("sensors", i) + ".signal", signal.error().what};
    SensorSettings settings = spec.settings;
    settings.seed = spec_.seed;
    settings.signal = static_cast<std::uint32_t>(i);
    const Sensor sensor(settings, spec_.dt_s);
    sensors_.push_back({sensor, *signal, std::exchange(device_state_size_, device_state_size_ + sensor.state_size())});
    const bool accelerates =
        signal->kind == SignalKind::kCoordinateAcceleration || signal->kind == SignalKind::kAcceleration;
    senses_accelerations_ = senses_accelerations_ || accelerates;
    senses_places_ = senses_places_ || signal->kind >= SignalKind::kPosition;
  }
  return true;
}

void Plant::add_disturbances() {
  faults_at_ = std::exchange(device_state_size_, device_state_size_ + faults_.state_size());
  forces_at_ = std::exchange(device_state_size_, device_state_size_ + OutsideForces::state_size());
  loads_.wrenches.reserve(OutsideForces::kMax);
}

State Plant::initial_state() {
  State state(model_, device_state_size_);
  state.q() = start_q_;
  state.v() = start_v_;
  double* memory = state.device_state().data();
  for (std::size_t i = 0; i < actuators_.size(); ++i) {
    actuators_[i].chain.start(spec_.actuators[i].initial, memory + actuators_[i].chain_at);
    DcMotor::start(memory + actuators_[i].motor_at);
  }
  for (std::size_t p = 0; p < circuits_.size(); ++p) levels_[0].circuits[p].start(memory + circuits_[p].at);
  evaluate_signals(state);
  for (const PlacedSensor& placed : sensors_) {
    placed.sensor.start(true_value(placed.signal, state), memory + placed.at);
  }
  return state;
}

StepStatus Plant::step(const StepInput& input, State& state) noexcept {
  require(
      input.count == actuators_.size() && input.level >= 0 && static_cast<std::size_t>(input.level) < levels_.size(),
      "the input is one for this plant");
  before_ = state.block();
  state.count_step();
  apply_changes(input, state);
  if (input.frozen != 0) return StepStatus::kOk;
  if (state.level() != input.level) {
    state.set_level(input.level);
    state.set_history_count(0);  // samples of another method, or at other distances
  }
  pass_commands(input, state);
  const Level& level = at(input.level);
  StepStatus worst = StepStatus::kOk;
  for (int i = 0; i < level.substeps; ++i) {
    apply_actuators(level, state);
    const StepStatus status = level.integrator->step(model_, loads_, level.dt_s, *level.dynamics, state, ws_);
    if (!is_done(status)) {
      state.block() = before_;
      return status;
    }
    if (status != StepStatus::kOk) worst = status;
  }
  return worst;
}

bool Plant::can_apply(const StepChange& change, const State& state) const noexcept {
  const double* memory = state.device_state().data();
  if (change.kind == ChangeKind::kForce) {
    return forces_from_outside_.can_apply(change, state.step() + 1, memory + forces_at_);
  }
  return faults_.can_apply(change, state.step() + 1, memory + faults_at_);
}

SignalFault Plant::fault_of(std::size_t signal, const State& state) const noexcept {
  return faults_.active(signal, state.step(), state.device_state().data() + faults_at_);
}

bool Plant::is_overridden(std::size_t signal, const State& state) const noexcept {
  return faults_.is_overridden(signal, state.step(), state.device_state().data() + faults_at_);
}

void Plant::apply_changes(const StepInput& input, State& state) noexcept {
  double* memory = state.device_state().data();
  const std::size_t count = std::min<std::size_t>(input.changes, kMaxChanges);
  for (std::size_t i = 0; i < count; ++i) {
    const StepChange& change = input.change[i];
    if (change.kind == ChangeKind::kForce) {
      if (forces_from_outside_.can_apply(change, state.step(), memory + forces_at_)) {
        OutsideForces::apply(change, state.step(), memory + forces_at_);
      }
      continue;
    }
    if (!faults_.can_apply(change, state.step(), memory + faults_at_)) continue;
    faults_.apply(change, state.step(), memory + faults_at_);
    if (change.kind == ChangeKind::kClear && change.target == StepChange::kEverything) {
      std::fill_n(memory + forces_at_, OutsideForces::state_size(), 0.0);
    }
  }
}

void Plant::pass_commands(const StepInput& input, State& state) noexcept {
  double* memory = state.device_state().data();
  memory[kMovedAt] += 1.0;  // a chain's delay counts these: what is on its way stands still with the plant
  const auto moved = static_cast<std::uint64_t>(memory[kMovedAt]);
  for (std::size_t i = 0; i < actuators_.size(); ++i) {
    const Reading faulty =
        faults_.pass(sensors_.size() + i, state.step(), moved, {input.command[i]}, memory + faults_at_);
    const double command = (input.stopped >> i & 1U) != 0 ? input.command[i] : faulty.value;
    effective_command_[static_cast<Eigen::Index>(i)] =
        actuators_[i].chain.pass(moved, command, memory + actuators_[i].chain_at);
  }
}

void Plant::apply_actuators(const Level& level, State& state) noexcept {
  double* memory = state.device_state().data();
  for (std::size_t p = 0; p < circuits_.size(); ++p) apply_circuit(level.circuits[p], circuits_[p], state);
  for (std::size_t i = 0; i < actuators_.size(); ++i) {
    const Actuator& actuator = actuators_[i];
    const double effective = effective_command_[static_cast<Eigen::Index>(i)];
    double& force = memory[actuator.force_at];
    if (actuator.kind == ActuatorKind::kForce) force = effective;
    if (actuator.kind == ActuatorKind::kDcMotor) {
      force = level.motors[i].pass(effective, state.v()[actuator.speed], memory + actuator.motor_at);
    }
  }
  gather_loads(state);
}

void Plant::gather_loads(const State& state) noexcept {
  loads_.tau.setZero();
  for (const Actuator& actuator : actuators_) loads_.tau[actuator.speed] += state.device_state()[actuator.force_at];
  OutsideForces::gather(state.step(), state.device_state().data() + forces_at_, loads_.wrenches);
}

void Plant::apply_circuit(const HydraulicCircuit& circuit, const Circuit& of, State& state) noexcept {
  double* memory = state.device_state().data();
  Eigen::Index i = 0;
  for (const std::size_t a : of.actuators) {
    openings_[i] = effective_command_[static_cast<Eigen::Index>(a)];
    extensions_[i] = state.q()[actuators_[a].coordinate];
    speeds_[i] = state.v()[actuators_[a].speed];
    ++i;
  }
  circuit.pass(openings_.data(), extensions_.data(), speeds_.data(), forces_.data(), memory + of.at);
  i = 0;
  for (const std::size_t a : of.actuators) memory[actuators_[a].force_at] = forces_[i++];
}

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
    dynamics.release_basis();
    dynamics.read_basis(state);
    if (accelerations(model_, state, loads_, dynamics, sense_ws_) == StepStatus::kOk) return;
    sense_ws_.vdot.setZero();  // the next step will fail and say why
    std::fill(sense_ws_.A.begin(), sense_ws_.A.end(), decltype(sense_ws_.A)::value_type{});
  } else if (senses_places_) {
    update_kinematics(model_, state, sense_ws_);
  }
}

double Plant::true_value(const Signal& signal, const State& state) const noexcept {
  const auto memory = state.device_state();
  switch (signal.kind) {
    case SignalKind::kCoordinate:
      return state.q()[signal.index];
    case SignalKind::kSpeed:
      return state.v()[signal.index];
    case SignalKind::kCoordinateAcceleration:
      return sense_ws_.vdot[signal.index];
    case SignalKind::kActuatorForce:
      return memory[actuators_[static_cast<std::size_t>(signal.index)].force_at];
    case SignalKind::kMotorCurrent:
      return memory[actuators_[static_cast<std::size_t>(signal.index)].motor_at];
    case SignalKind::kPressureA:
    case SignalKind::kPressureB:
      return memory[actuators_[static_cast<std::size_t>(signal.index)].chambers_at +
                    (signal.kind == SignalKind::kPressureB ? 1 : 0)];
    case SignalKind::kPumpPressure:
      return memory[circuits_[static_cast<std::size_t>(signal.index)].at];
    case SignalKind::kRopeTension:
    case SignalKind::kRopeLength:
      return true_value_of_rope(model_, sense_ws_, signal, state);
    case SignalKind::kContactForce:
      return contact_force(model_, signal.index, sense_ws_).norm();
    default:
      return true_value_of_place(model_, sense_ws_, signal);
  }
}

void Plant::set_watch(ClosingWatch* watch) noexcept {
  for (Level& level : levels_) level.integrator->loops().set_watch(watch);
}

}  // namespace kinloop
