// Builds the plant from its description, and steps it.
#include "core/plant/plant.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/field_path.hpp"
#include "core/constraints/consistent_initial_state.hpp"
#include "core/dynamics/reactions/reaction_sweep.hpp"
#include "core/integrators/step_limits.hpp"
#include "core/kinematics/forward_kinematics.hpp"
#include "core/kinematics/loop_constraints.hpp"

namespace kinloop {
namespace {

Error inside(const std::string& path, const Error& error) {
  return {error.where.empty() ? path : path + ": " + error.where, error.what};
}

/// The explicit method of `auto`: one evaluation a step, since rigs have deadlines.
constexpr std::string_view kPreferred = "semi_implicit_euler";

}  // namespace

Result<std::unique_ptr<Plant>> Plant::make(const Model& model, const PlantSpec& spec) {
  std::unique_ptr<Plant> plant(new Plant(model, spec));
  const Result<ClosedStart> start = consistent_initial_state(model, kRoundingOfFiles);
  if (!start) return start.error();
  plant->start_q_ = start->q;
  plant->start_v_ = start->v;
  for (const auto add : {&Plant::add_actuators, &Plant::choose_integrators, &Plant::add_levels, &Plant::add_sensors}) {
    if (const Result<bool> added = ((*plant).*add)(); !added) return added.error();
  }
  plant->add_disturbances();
  if (spec.accounts_energy) plant->add_account();
  plant->before_.resize(State(model, plant->device_state_size_).block().size());
  plant->before_substep_ = plant->before_;
  plant->start_of_substep_.resize(model.nq());
  if (const Result<bool> fits = plant->check_start(); !fits) return fits.error();
  plant->warn_of_open_reactions();
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

Plant::~Plant() = default;

Result<bool> Plant::add_actuators() {
  Result<ActuatorSet> made = ActuatorSet::make(model_, spec_, device_state_size_);
  if (!made) return made.error();
  actuators_ = std::move(made).value();
  device_state_size_ = actuators_.end();
  return true;
}

/// `auto` becomes a method; what is named is judged.
Result<bool> Plant::choose_integrators() {
  require(!spec_.levels.empty(), "a plant has a solver");
  Result<ActuatorSet> made = ActuatorSet::make(model_, spec_, actuators_.begin());  // for steps of any integrator
  if (!made) return made.error();
  ActuatorSet actuators = std::move(made).value();
  State state(model_, actuators.end());
  state.q() = start_q_;
  state.v() = start_v_;
  update_kinematics(model_, state, ws_);
  if (model_.has_loops()) update_loop_constraints(model_, state, ws_);
  fastest_ = fastest_motion(model_, state, ws_);
  for (std::size_t i = 0; i < spec_.levels.size(); ++i) {
    const SolverLevel& spec = spec_.levels[i];
    const bool is_auto = spec.integrator == kAutoIntegrator;
    if (spec.substeps < 1) return Error{item_path("levels", i) + ".substeps", "must be 1 or more"};
    const auto warn = [&](const Error& warning) {
      warnings_.push_back(
          {(i == 0 ? "solver: " : item_path("degraded_solvers", i - 1) + ": ") + warning.where, warning.what});
    };
    const double dt_s = spec_.dt_s / spec.substeps;
    actuators.add_level(spec_, {dt_s, 0.0});
    if (i == 0) actuators.start(spec_, state);
    const std::vector<Drive> drives = actuators.drives(spec_, static_cast<int>(i), state);
    const FastestMotion fastest = with_drives(fastest_, drives);
    choices_.push_back(is_auto ? choose_integrator(model_, fastest, dt_s, kPreferred, drives)
                               : IntegratorChoice{spec.integrator, ""});
    for (const Error& warning : step_warnings(model_, fastest, dt_s, choices_.back().name, drives)) warn(warning);
  }
  return true;
}

Result<bool> Plant::add_levels() {
  for (std::size_t i = 0; i < spec_.levels.size(); ++i) {
    const SolverLevel& spec = spec_.levels[i];
    const std::string path = item_path("levels", i);
    auto dynamics = make_dynamics(spec.dynamics, model_);
    if (!dynamics) return inside(path + ".dynamics", dynamics.error());
    auto integrator = make_integrator(choices_[i].name, model_);
    if (!integrator) return inside(path + ".integrator", integrator.error());
    Level level{std::move(dynamics).value(), std::move(integrator).value(), spec.substeps, spec_.dt_s / spec.substeps};
    level.integrator->loops().settings() = spec.loops;
    actuators_.add_level(spec_, {level.dt_s, choices_[i].name == "semi_implicit_euler" ? level.dt_s : 0.0,
                                 level.integrator->takes_stiffness() ? level.dt_s : 0.5 * level.dt_s});
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
    const bool reacts = signal->kind == SignalKind::kReaction;
    const bool accelerates =
        reacts || signal->kind == SignalKind::kCoordinateAcceleration || signal->kind == SignalKind::kAcceleration;
    if (reacts && reactions_ == nullptr) reactions_ = std::make_unique<ReactionSweep>(model_);
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

void Plant::add_account() {
  static_assert(OutsideForces::kMax <= EnergyAccount::kMaxWrenches);
  account_ = std::make_unique<EnergyAccount>(model_);
  for (Level& level : levels_) level.integrator->loops().keep_unprojected();
}

Result<bool> Plant::check_start() const {
  if (spec_.start.empty()) return true;
  if (spec_.start.size() != static_cast<std::size_t>(before_.size())) {
    return Error{"start", "has " + std::to_string(spec_.start.size()) + " numbers, a state of this plant " +
                              std::to_string(before_.size()) + ": it is of another rig"};
  }
  const std::optional<StateFlaw> flaw = flaw_in(spec_.start);
  if (flaw) return Error{"start", name_of_place(flaw->at) + " " + std::string(flaw->what)};
  return true;
}

void Plant::warn_of_open_reactions() {
  if (reactions_ == nullptr) return;
  const State start = initial_state();
  for (std::size_t i = 0; i < sensors_.size(); ++i) {
    const Signal& signal = sensors_[i].signal;
    if (signal.kind != SignalKind::kReaction || std::isfinite(true_value(signal, start))) continue;
    warnings_.push_back(
        {item_path("sensors", i) + ".signal",
         "redundant constraints leave this component open at the start: its readings are invalid there"});
  }
}

State Plant::initial_state() {
  State state(model_, device_state_size_);
  state.q() = start_q_;
  state.v() = start_v_;
  actuators_.start(spec_, state);
  if (!spec_.start.empty()) {
    State given(model_, device_state_size_);
    given.block() = Eigen::Map<const VectorX>(spec_.start.data(), given.block().size());
    state.q() = given.q();
    state.v() = given.v();
    state.device_state().head(actuators_.end()) = given.device_state().head(actuators_.end());
  }
  evaluate_signals(state);
  for (const PlacedSensor& placed : sensors_) {
    placed.sensor.start(true_value(placed.signal, state), state.device_state().data() + placed.at);
  }
  return state;
}

StepStatus Plant::step(const StepInput& input, State& state) noexcept {
  require(input.count == actuator_count() && input.level >= 0 && static_cast<std::size_t>(input.level) < levels_.size(),
          "the input is one for this plant");
  before_ = state.block();
  if (!begin_step(input, state)) return StepStatus::kOk;
  const Level& level = at(input.level);
  if (account_ && !account_->ends_at(state)) account_->start(state);
  StepStatus worst = StepStatus::kOk;
  for (int i = 0; i < level.substeps; ++i) {
    const bool is_implicit = level.integrator->takes_stiffness();
    const StepStatus status = is_implicit ? implicit_substep(input.level, state) : explicit_substep(input.level, state);
    if (!is_done(status)) {
      state.block() = before_;
      return status;
    }
    if (account_) account_->add(state, loads_, *level.integrator);
    if (status != StepStatus::kOk) worst = status;
  }
  return worst;
}

bool Plant::begin_step(const StepInput& input, State& state) noexcept {
  state.count_step();
  apply_changes(input, state);
  if (input.frozen != 0) return false;
  if (state.level() != input.level) {
    state.set_level(input.level);
    state.set_history_count(0);  // samples of another method, or at other distances
  }
  pass_commands(input, state);
  return true;
}

const Loads& Plant::begin_substep(int level, State& state) noexcept {
  actuators_.step(level, state);
  gather_loads(state);
  return loads_;
}

StepStatus Plant::explicit_substep(int index, State& state) noexcept {
  const Level& level = at(index);
  begin_substep(index, state);
  const StepStatus status = level.integrator->step(model_, loads_, level.dt_s, *level.dynamics, state, ws_);
  if (is_done(status)) end_substep(index, state);
  return status;
}

/// Once with the tangents at the joints' speeds, which a smooth motion needs no more than; again where they miss.
StepStatus Plant::implicit_substep(int index, State& state) noexcept {
  constexpr int kMaxPredictions = 24;
  const Level& level = at(index);
  before_substep_ = state.block();
  start_of_substep_ = state.q();
  auto around = ActuatorSet::Around::kSpeeds;
  for (int i = 1;; ++i) {
    predict_loads(index, around, state);
    const StepStatus status = level.integrator->step(model_, loads_, level.dt_s, *level.dynamics, state, ws_);
    if (!is_done(status)) return status;
    actuators_.settle(index, level.dt_s, start_of_substep_, state);
    if (i == kMaxPredictions || actuators_.has_met_prediction()) return status;
    actuators_.aim();
    around = ActuatorSet::Around::kAim;
    state.block() = before_substep_;
  }
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
  for (std::size_t i = 0; i < actuator_count(); ++i) {
    const Reading faulty =
        faults_.pass(sensors_.size() + i, state.step(), moved, {input.command[i]}, memory + faults_at_);
    const double command = (input.stopped >> i & 1U) != 0 ? input.command[i] : faulty.value;
    actuators_.pass_command(static_cast<int>(i), moved, command, state);
  }
}

void Plant::gather_loads(const State& state) noexcept {
  loads_.tau.setZero();
  actuators_.add_forces(state, loads_.tau);
  OutsideForces::gather(state.step(), state.device_state().data() + forces_at_, loads_.wrenches);
}

/// Of a sub-step that has not been made yet.
void Plant::predict_loads(int level, ActuatorSet::Around around, State& state) noexcept {
  loads_.tau.setZero();
  loads_.stiffness.setZero();
  loads_.damping.setZero();
  actuators_.predict(level, at(level).dt_s, around, state, loads_);
  OutsideForces::gather(state.step(), state.device_state().data() + forces_at_, loads_.wrenches);
}

void Plant::set_watch(ClosingWatch* watch) noexcept {
  for (Level& level : levels_) level.integrator->loops().set_watch(watch);
}

}  // namespace kinloop
