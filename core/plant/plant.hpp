// Owns Plant: a mechanism with its actuators and sensors, and one step of the whole.
//
// The next State depends on Model, State and StepInput alone. Commands pass their chains once in a step and are held
// over its sub-steps; motors and oil follow the mechanism in every sub-step.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/integrators/energy_account.hpp"
#include "core/integrators/integrator.hpp"
#include "core/integrators/step_limits.hpp"
#include "core/plant/actuator_set.hpp"
#include "core/plant/device_state_entry.hpp"
#include "core/plant/outside_forces.hpp"
#include "core/plant/plant_spec.hpp"
#include "core/plant/signal.hpp"
#include "core/plant/signal_faults.hpp"
#include "core/plant/state_flaw.hpp"
#include "core/plant/step_input.hpp"

namespace kinloop {

class ReactionSweep;

class Plant {
 public:
  /// The model must outlive it. Errors name fields of the description: "sensors[2].signal".
  static Result<std::unique_ptr<Plant>> make(const Model& model, const PlantSpec& spec);

  Plant(const Plant&) = delete;
  Plant& operator=(const Plant&) = delete;
  ~Plant();

  const Model& model() const noexcept { return model_; }
  const PlantSpec& spec() const noexcept { return spec_; }
  std::size_t actuator_count() const noexcept { return spec_.actuators.size(); }
  std::size_t sensor_count() const noexcept { return sensors_.size(); }

  /// At time 0 with closed loops, everything around the mechanism at rest.
  State initial_state();

  /// One step. Failed, it leaves the state as it was. No allocation.
  StepStatus step(const StepInput& input, State& state) noexcept;

  /// A step in parts, for who moves the mechanism itself (core/batch/plant_batch.hpp): changes and commands, once a
  /// step, false where the plant stands still; then for each sub-step what acts on the mechanism, the motion, and what
  /// follows it. step() does the same, and takes back a step that fails. No allocation.
  bool begin_step(const StepInput& input, State& state) noexcept;
  const Loads& begin_substep(int level, State& state) noexcept;
  void end_substep(int level, State& state) noexcept { actuators_.finish(level, state); }

  /// What the sensors show at the end of a step, once after each. No allocation.
  void sense(State& state, std::span<Reading> readings) noexcept;

  /// Whether a change makes sense and there is room for it in the next step. No allocation.
  bool can_apply(const StepChange& change, const State& state) const noexcept;
  /// What an actuator applies along its speed, N or Nm, in the last step.
  double force_of(std::size_t actuator, const State& state) const noexcept {
    return actuators_.force(static_cast<int>(actuator), state);
  }
  /// Of a signal (sensors first, then actuators) in the last step.
  SignalFault fault_of(std::size_t signal, const State& state) const noexcept;
  bool is_overridden(std::size_t signal, const State& state) const noexcept;

  /// Why a block of doubles from outside cannot be a state of this plant; nothing where it can. No allocation.
  std::optional<StateFlaw> flaw_in(std::span<const double> block) const noexcept;
  bool accepts(std::span<const double> block) const noexcept { return !flaw_in(block); }
  /// What a double of the state's block belongs to, for people: "q[2]", "memory of actuator 'motor'".
  std::string name_of_place(std::size_t at) const;

  /// The sensors' signals without what the sensors make of them, one for each; not a number where there is no value: a
  /// reaction that statics leave open. No allocation.
  void true_signals(const State& state, std::span<double> signals) noexcept;

  /// All numbers around the mechanism that later steps, or signals of this one, depend on; where they lie moves on with
  /// every step. For analysis: it allocates.
  std::vector<DeviceStateEntry> device_state_entries(const State& state) const;
  /// Where the force of each actuator lies whose command is its force at once, without any memory; -1 for the others.
  std::vector<int> direct_forces() const { return actuators_.direct_forces(); }

  /// For derivatives of the step: its parts.
  ActuatorSet& actuators() noexcept { return actuators_; }
  const Signal& signal(std::size_t sensor) const noexcept { return sensors_[sensor].signal; }
  bool senses_accelerations() const noexcept { return senses_accelerations_; }
  int substeps(int level) const noexcept { return at(level).substeps; }
  double substep_s(int level) const noexcept { return at(level).dt_s; }
  Dynamics& dynamics(int level) noexcept { return *at(level).dynamics; }
  const Stabilization& stabilization(int level) const noexcept { return at(level).integrator->loops().settings(); }
  /// Forces from outside in the state's last step, into wrenches with room for OutsideForces::kMax. No allocation.
  void gather_wrenches(const State& state, std::vector<ExternalWrench>& wrenches) const noexcept {
    OutsideForces::gather(state.step(), state.device_state().data() + forces_at_, wrenches);
  }
  /// Steps in which the plant did not stand still, by which delays count.
  static std::uint64_t moved(const State& state) noexcept {
    return static_cast<std::uint64_t>(state.device_state()[kMovedAt]);
  }
  static void count_moved(State& state) noexcept { state.device_state()[kMovedAt] += 1.0; }

  /// Of all levels.
  void set_watch(ClosingWatch* watch) noexcept;
  /// Counters of a level's solver.
  const BasisReport& basis_report(int level) const noexcept { return at(level).dynamics->report(); }
  const LoopReport& loops(int level) const noexcept { return at(level).integrator->loops().report(); }
  const CoarseSteps& coarse_steps(int level) const noexcept { return at(level).integrator->coarse_steps(); }
  std::string_view dynamics_name(int level) const noexcept { return at(level).dynamics->name(); }
  /// The integrator of a level; the reason is empty where the description names it.
  const IntegratorChoice& integrator(int level) const noexcept { return choices_[static_cast<std::size_t>(level)]; }
  /// Where the energy went, in steps since the last state from outside; null where the description does not ask. It is
  /// telemetry: nothing depends on it.
  const EnergyBalance* energy() const noexcept { return account_ ? &account_->balance() : nullptr; }
  /// What it was chosen by, without the actuators, whose part depends on the step.
  const FastestMotion& fastest() const noexcept { return fastest_; }
  /// What will cause trouble: steps too long for an integrator, sensors of what statics leave open.
  const std::vector<Error>& warnings() const noexcept { return warnings_; }

 private:
  struct Level {
    std::unique_ptr<Dynamics> dynamics;
    std::unique_ptr<Integrator> integrator;
    int substeps = 1;
    double dt_s = 0.0;  // of a sub-step
  };
  struct PlacedSensor {
    Sensor sensor;
    Signal signal;
    int at;
  };

  Plant(const Model& model, PlantSpec spec);
  Result<bool> choose_integrators();
  Result<bool> add_levels();
  Result<bool> add_actuators();
  Result<bool> add_sensors();
  void add_disturbances();
  void add_account();
  Result<bool> check_start() const;
  void warn_of_open_reactions();
  const Level& at(int level) const noexcept { return levels_[static_cast<std::size_t>(level)]; }

  void apply_changes(const StepInput& input, State& state) noexcept;
  void pass_commands(const StepInput& input, State& state) noexcept;
  void gather_loads(const State& state) noexcept;
  void predict_loads(int level, ActuatorSet::Around around, State& state) noexcept;
  StepStatus explicit_substep(int index, State& state) noexcept;
  StepStatus implicit_substep(int index, State& state) noexcept;
  void evaluate_signals(const State& state) noexcept;
  double true_value(const Signal& signal, const State& state) const noexcept;
  std::optional<StateFlaw> flaw_in_motion(std::span<const double> block) const noexcept;
  std::optional<StateFlaw> flaw_in_device_state(std::span<const double> block) const noexcept;

  const Model& model_;
  PlantSpec spec_;
  VectorX start_q_, start_v_;
  std::vector<IntegratorChoice> choices_;  // one for each level
  FastestMotion fastest_;
  std::vector<Error> warnings_;
  std::vector<Level> levels_;
  ActuatorSet actuators_;
  std::vector<PlacedSensor> sensors_;
  SignalFaults faults_;
  OutsideForces forces_from_outside_;
  int faults_at_ = 0, forces_at_ = 0;
  static constexpr int kMovedAt = 0;  // in the device state: steps in which the plant did not stand still
  int device_state_size_ = 1;         // doubles
  bool senses_places_ = false, senses_accelerations_ = false;
  std::unique_ptr<ReactionSweep> reactions_;  // where a sensor shows one

  Workspace ws_, sense_ws_;
  Loads loads_;
  VectorX before_;  // the state's block, to go back to
  VectorX before_substep_;
  VectorX start_of_substep_;  // its configuration
  std::unique_ptr<EnergyAccount> account_;
};

}  // namespace kinloop
