// Owns ActuatorSet: the actuators of a plant, their command chains, and where in the device state each of them lies.
//
// For every actuator, in the order of the description: its chain, the force of the last sub-step, its own state (at
// least one double). Then the circuit of every pump.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/actuators/actuator_type.hpp"
#include "core/actuators/command_chain.hpp"
#include "core/base/at.hpp"
#include "core/base/indexed_vector.hpp"
#include "core/forces/loads.hpp"
#include "core/integrators/fastest_motion.hpp"
#include "core/model/state.hpp"
#include "core/plant/device_state_entry.hpp"
#include "core/plant/plant_spec.hpp"

namespace kinloop {

class ActuatorSet {
 public:
  /// Its doubles begin at `begin` of the device state. Errors name fields of the description: "actuators[2].joint".
  static Result<ActuatorSet> make(const Model& model, const PlantSpec& spec, int begin);

  /// The next level of the solver, with sub-steps of its own.
  void add_level(const PlantSpec& spec, const ActuatorStep& step);

  /// What is held over the sub-steps of a step and is no part of the State: commands, and what was applied last. Who
  /// steps several states by turns gives each its own back.
  struct Held {
    IndexedVector<ActuatorInput> inputs;
    IndexedVector<ActuatorOutput> outputs;
  };
  Held held() const { return {inputs_, outputs_}; }
  /// With one that held() made. No allocation.
  void exchange(Held& held) noexcept {
    inputs_.swap(held.inputs);
    outputs_.swap(held.outputs);
  }

  int size() const noexcept { return ports_.count(); }
  int begin() const noexcept { return begin_; }
  int end() const noexcept { return end_; }
  /// At rest: every command as described, pressures as at the start.
  void start(const PlantSpec& spec, State& state) const noexcept;

  /// Once a step: the command passes its chain, and is held over the sub-steps. `moved` counts these calls. No
  /// allocation.
  void pass_command(int actuator, std::uint64_t moved, double command, State& state) noexcept;
  /// Once a sub-step, before the mechanism moves: circuits to the middle of the sub-step, whose force is held over it.
  /// No allocation.
  void step(int level, State& state) noexcept;
  /// Behind it, circuits to the end of the sub-step. With both, pressures and speeds are those of the same instant: a
  /// mass on enclosed oil moves by the method of Stoermer and Verlet. No allocation.
  void finish(int level, State& state) noexcept;
  /// Around which speeds of the joints predict() takes the forces of enclosed oil.
  enum class Around {
    kSpeeds,  // those that the joints have
    kAim,     // those of aim()
  };
  /// The same for an integrator that takes stiffness: what the sub-step applies if joints go that way, and how that
  /// changes if they do not. The state stays as it is. No allocation.
  void predict(int level, double dt_s, Around around, State& state, Loads& loads) noexcept;
  /// After such a sub-step that led from positions `q` to those of the state: what it applied, by the way gone. No
  /// allocation.
  void settle(int level, double dt_s, const VectorX& q, State& state) noexcept;
  /// Whether settle() found the forces that predict() had put into the sub-step, to a tenth of their change.
  bool has_met_prediction() const noexcept;
  /// Where it did not: around which speeds the same sub-step is to be predicted next. Enclosed oil resists a motion
  /// steeply, but hardly where a chamber opens to the tank, a relief valve or the pump, and a step may lead across all
  /// of that. So Newton's steps are kept within what is known to lie to both sides of the solution, joint by joint.
  void aim() noexcept;

  /// How each actuator answers a joint, within a step of a level or in the long run, with commands at zero: valves
  /// shut. At a state of this set's start. For analysis: it allocates.
  std::vector<Drive> drives(const PlantSpec& spec, int level, const State& start) const;

  /// What the last sub-step applied, added along the speeds.
  void add_forces(const State& state, VectorX& tau) const noexcept;
  /// How the forces of the last sub-step depend on position and speed. Not part of the State: of use right after
  /// step().
  const ActuatorOutput& output(int actuator) const noexcept { return outputs_[ports_[actuator].slot]; }
  int speed(int actuator) const noexcept { return ports_[actuator].speed; }

  double force(int actuator, const State& state) const noexcept {
    return state.device_state()[ports_[actuator].force_at];
  }
  /// A number of its state, as numbered in ActuatorType::quantities.
  double quantity(int actuator, int number, const State& state) const noexcept {
    return state.device_state()[quantity_of(actuator, number).place];
  }
  double pump_pressure_Pa(int pump, const State& state) const noexcept { return state.device_state()[pump_at(pump)]; }

  /// Where a device state from outside holds a command beyond its limits; -1: nowhere.
  int flaw_in(std::span<const double> device_state) const noexcept;
  /// To whom a double belongs; -1: to a pump.
  int owner(int place) const noexcept;

  /// What a sensor shows of an actuator: its force, or a quantity by its number.
  static constexpr int kItsForce = -1;
  struct Shown {
    int actuator, what;
  };
  /// All numbers that later steps depend on, or what is shown, after `moved` steps. For analysis: it allocates.
  std::vector<DeviceStateEntry> entries(const PlantSpec& spec, std::uint64_t moved, std::span<const Shown> shown) const;
  /// Where the force of each actuator lies whose command is its force at once, without any memory; -1 for the others.
  std::vector<int> direct_forces() const;

 private:
  friend class ActuatorSetDerivatives;

  /// What acts along one speed.
  struct Port {
    const ActuatorType* type;
    CommandChain chain;
    int speed, coordinate;
    int chain_at, force_at, end;  // in the device state
    int pump;                     // that feeds it; -1: none
    int device, joint;            // which actuator it is part of, and its number there
    int slot;                     // among inputs and outputs
  };
  struct Device {
    int at, size;  // of its state in the device state
    int pump;      // whose circuit it is; -1: of none
    IndexedVector<int> ports;
    int slot;  // of its first joint
  };

  /// Its force follows from the way that the joint goes, not from its speed at the end: a shut chamber must neither
  /// gain nor lose oil.
  static bool encloses_oil(const Port& port) noexcept { return port.pump >= 0; }
  /// What was predicted of a joint on enclosed oil, and what came of it.
  struct Prediction {
    double start_N = 0.0;                       // of the sub-step before
    double force_N = 0.0, damping_N_s_m = 0.0;  // at this speed
    double speed_m_s = 0.0;
    double led_to_m_s = 0.0;                  // the way that the sub-step went, by its time
    double settled_N = 0.0;                   // its force
    double missed_N = 0.0;                    // of it, by the prediction
    double lower_m_s = 0.0, upper_m_s = 0.0;  // between which the solution lies
    double aim_m_s = 0.0;
  };

  void read_joints(const State& state) noexcept;
  void step_devices(int level, int first, double* device_state) noexcept;
  Result<bool> add_port(const Model& model, const PlantSpec& spec, std::size_t i);
  Result<bool> add_circuits(const PlantSpec& spec);
  int take(int doubles) noexcept;
  std::span<double> chain_state(const Port& port, State& state) const noexcept {
    return {state.device_state().data() + port.chain_at, at(port.chain.state_size())};
  }
  /// Its place counts from the beginning of the device state.
  ActuatorQuantity quantity_of(int actuator, int number) const noexcept;
  int pump_at(int pump) const noexcept { return devices_[first_circuit_ + pump].at + HydraulicState::line(); }
  void add_chain_entries(const PlantSpec& spec, int actuator, std::uint64_t moved,
                         std::vector<DeviceStateEntry>& all) const;
  void add_own_entries(const PlantSpec& spec, int actuator, std::span<const Shown> shown,
                       std::vector<DeviceStateEntry>& all) const;

  int begin_ = 0, end_ = 0;
  IndexedVector<Port> ports_;      // one for each actuator of the description
  IndexedVector<Device> devices_;  // those alone, then the circuits
  int first_circuit_ = 0;
  IndexedVector<IndexedVector<std::unique_ptr<Actuator>>> levels_;  // the devices, made for the sub-steps of each level
  IndexedVector<ActuatorInput> inputs_;                             // commands are held over the sub-steps
  IndexedVector<ActuatorOutput> outputs_;
  IndexedVector<Prediction> predictions_;  // of each slot
  VectorX kept_;                           // doubles of the State during a prediction
};

}  // namespace kinloop
