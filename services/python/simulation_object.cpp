// Steps, puts into other states, and hands the analyses of core what they want.
#include "services/python/simulation_object.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "core/analysis/rollout.hpp"
#include "core/base/at.hpp"
#include "core/base/nearest_name.hpp"
#include "core/base/stepping_mode.hpp"
#include "rt/messages/frame.hpp"
#include "rt/messages/state_hash.hpp"
#include "services/python/failure.hpp"

namespace kinloop::python {
namespace {

std::unique_ptr<Plant> make_plant(const PlantObject& described, std::optional<std::uint64_t> seed) {
  PlantSpec spec = described.spec.plant;
  if (seed) spec.seed = *seed;
  const SteppingMode mode;  // as in a run, from the first state on
  auto plant = Plant::make(described.model->model, spec);
  if (!plant) throw Failure(std::vector<Error>{plant.error()});
  return std::move(plant).value();
}

State first_state(Plant& plant) {
  const SteppingMode mode;
  return plant.initial_state();
}

template <class Names, class Name>
std::size_t find_by_name(const Names& all, const std::string& name, const char* what, Name name_of_one) {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (name_of_one(all[i]) == name) return i;
    names.push_back(name_of_one(all[i]));
  }
  throw Failure(FailureKind::kUnknownName, what,
                std::string("no ") + what + " is named " + in_quotes(name) + did_you_mean(name, names));
}

}  // namespace

SimulationObject::SimulationObject(std::shared_ptr<const PlantObject> described, std::optional<std::uint64_t> seed)
    : described_(std::move(described)),
      plant_(make_plant(*described_, seed)),
      derivatives_(*plant_),
      first_(first_state(*plant_)),
      state_(first_),
      sensed_(plant_->sensor_count()),
      values_(plant_->sensor_count()),
      flags_(plant_->sensor_count()) {
  reset();
}

std::uint64_t SimulationObject::hash() const noexcept { return rt::state_hash(state_); }

SimulationObject::Use::Use(SimulationObject& simulation) : simulation_(simulation) {
  simulation.require_usable();
  simulation.is_in_use_ = true;
}

void SimulationObject::require_usable() const {
  if (is_closed_) throw Failure(FailureKind::kNotNow, "", "the simulation is closed");
  if (is_in_use_) throw Failure(FailureKind::kNotNow, "", "the simulation is in use by another thread");
}

void SimulationObject::check_commands() const {
  for (std::size_t i = 0; i < plant_->actuator_count(); ++i) {
    if (std::isfinite(input_.command[i])) continue;
    throw Failure(FailureKind::kInvalid, "command",
                  "the command of " + in_quotes(plant_->spec().actuators[i].name) + " is not finite");
  }
}

long long SimulationObject::step(long long steps, StepStatus& status) noexcept {
  const SteppingMode mode;
  status = StepStatus::kOk;
  long long done = 0;
  while (done < steps) {
    const StepStatus one = plant_->step(input_, state_);
    if (!is_done(one)) {
      status = one;
      break;
    }
    if (one != StepStatus::kOk) status = one;
    input_.changes = 0;
    plant_->sense(state_, sensed_);
    ++done;
  }
  if (done == 0) return 0;
  for (std::size_t i = 0; i < sensed_.size(); ++i) {
    const Reading& reading = sensed_[i];
    values_[i] = reading.value;
    flags_[i] = static_cast<std::uint8_t>((reading.lost ? rt::sensor_flag::kLost : 0U) |
                                          (reading.saturated ? rt::sensor_flag::kSaturated : 0U) |
                                          (reading.invalid ? rt::sensor_flag::kInvalid : 0U));
  }
  return done;
}

void SimulationObject::reset() {
  state_.block() = first_.block();
  input_ = StepInput{};
  input_.count = static_cast<std::uint32_t>(plant_->actuator_count());
  for (std::size_t i = 0; i < plant_->actuator_count(); ++i) input_.command[i] = plant_->spec().actuators[i].initial;
  show_true_signals();
}

void SimulationObject::show_true_signals() noexcept {
  const SteppingMode mode;
  plant_->true_signals(state_, values_);
  for (std::size_t i = 0; i < values_.size(); ++i)
    flags_[i] = std::isfinite(values_[i]) ? 0 : rt::sensor_flag::kInvalid;
}

void SimulationObject::set_motion(const VectorX& q, const VectorX& v) {
  const SteppingMode mode;
  const State placed = valid(state_from_motion(*plant_, state_, q, v));
  if (!placed.block().allFinite()) throw Failure(FailureKind::kInvalid, "q", "the loops cannot be closed there");
  state_.block() = placed.block();
  show_true_signals();
}

void SimulationObject::restore(const VectorX& block) {
  if (block.size() != state_.block().size()) {
    throw Failure(FailureKind::kInvalid, "snapshot",
                  "has " + std::to_string(block.size()) + " numbers, a state of this plant has " +
                      std::to_string(state_.block().size()) + ": it is of another rig");
  }
  const std::span<const double> numbers(block.data(), at(block.size()));
  if (const std::optional<StateFlaw> flaw = plant_->flaw_in(numbers)) {
    throw Failure(FailureKind::kInvalid, "snapshot", plant_->name_of_place(flaw->at) + " " + std::string(flaw->what));
  }
  state_.block() = block;
  show_true_signals();
}

void SimulationObject::change(const StepChange& change) {
  if (input_.changes >= kMaxChanges) {
    throw Failure(FailureKind::kInvalid, "", "one step takes four changes at most: step() between them");
  }
  if (!plant_->can_apply(change, state_)) {
    throw Failure(FailureKind::kInvalid, "", "makes no sense for this plant, or there is no room for more of them");
  }
  input_.change[input_.changes++] = change;
}

std::size_t SimulationObject::find_actuator(const std::string& name) const {
  return find_by_name(plant_->spec().actuators, name, "actuator",
                      [](const ActuatorSpec& spec) -> const std::string& { return spec.name; });
}

std::uint32_t SimulationObject::find_signal_number(const std::string& name) const {
  std::vector<std::string> all;
  for (const SensorSpec& sensor : plant_->spec().sensors) all.push_back(sensor.name);
  for (const ActuatorSpec& actuator : plant_->spec().actuators) all.push_back(actuator.name);
  return static_cast<std::uint32_t>(
      find_by_name(all, name, "signal", [](const std::string& one) -> const std::string& { return one; }));
}

int SimulationObject::find_body(const std::string& name) const {
  std::vector<std::string> all;
  for (int k = 0; k < plant_->model().body_count(); ++k) all.push_back(plant_->model().body_name(k));
  return static_cast<int>(
      find_by_name(all, name, "body", [](const std::string& one) -> const std::string& { return one; }));
}

Linearization SimulationObject::linearize(const LinearizeSettings& settings) {
  check_commands();
  StepInput input = input_;
  input.changes = 0;
  return valid(kinloop::linearize(*plant_, state_, input, settings, &derivatives_));
}

Trim SimulationObject::trim(const TrimSettings& settings) {
  check_commands();
  StepInput input = input_;
  input.changes = 0;
  return valid(kinloop::trim(*plant_, state_, input, settings));
}

Trajectory SimulationObject::linearize_trajectory(std::vector<double> commands, std::size_t rows, int steps_per_command,
                                                  const std::vector<std::string>& independent) {
  TrajectoryPlan plan;
  plan.input = input_;
  plan.input.changes = 0;
  plan.commands = std::move(commands);
  plan.rows = rows;
  plan.steps_per_command = steps_per_command;
  plan.independent = independent;
  return valid(kinloop::linearize_trajectory(*plant_, state_, plan));
}

VectorX SimulationObject::applied_forces() const {
  VectorX tau = VectorX::Zero(plant_->model().nv());
  plant_->actuators().add_forces(state_, tau);
  return tau;
}

ChartObject::ChartObject(SimulationObject& simulation, const std::vector<std::string>& independent)
    : simulation_(simulation), chart_(valid(StateChart::make(simulation.plant(), simulation.state(), independent))) {}

VectorX ChartObject::sizes() {
  simulation_.require_usable();
  return chart_.sizes(simulation_.state());
}

VectorX ChartObject::read() {
  simulation_.require_usable();
  return chart_.read(simulation_.state());
}

void ChartObject::place(const VectorX& x) {
  simulation_.require_usable();
  const SteppingMode mode;
  const State placed = valid(chart_.place(simulation_.state(), x));
  simulation_.restore(placed.block());
}

}  // namespace kinloop::python
