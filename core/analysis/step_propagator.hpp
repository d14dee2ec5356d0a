// Owns StepPropagator: a plant's step, and beside it what small changes of its state become.
#pragma once

#include <memory>
#include <string>

#include "core/derivatives/step_slopes.hpp"
#include "core/plant/actuator_set_derivatives.hpp"
#include "core/plant/plant.hpp"

namespace kinloop {

/// Changes of a state, one per column: of the configuration and the speeds along the speeds, of the device state.
struct StateChanges {
  MatrixX dq, dv;
  RowMatrix dz;
};

class StepPropagator {
 public:
  /// Why steps of this plant and level cannot be differentiated, in words that follow "because of"; empty: they can.
  static std::string refusal(const Plant& plant, int level);
  /// The same for parameters of the model.
  static std::string parameter_refusal(const Plant& plant, int level);

  /// The plant must outlive it, and is stepped beside it by nobody else; there is no refusal. `like` is any state of
  /// the plant.
  StepPropagator(Plant& plant, int level, const State& like);

  /// Which speeds are independent, see AccelerationSlopes.
  void set_independent(const std::vector<char>& independent) noexcept { slopes_.set_independent(independent); }
  /// The last columns belong to parameters of the model; null: none do. There is no parameter_refusal().
  void set_parameters(ParameterForces* parameters) noexcept { slopes_.set_parameters(parameters); }

  /// What the first sub-step may take for granted.
  using From = StepSlopes::From;

  /// One step of a state whose loops are closed, under an input without changes; the commands have the columns from
  /// `first_command` on, -1: none. The bits of the state are those of Plant::step(). Not done, it leaves both
  /// undefined. Allocates where the number of columns changes.
  StepStatus step(const StepInput& input, Eigen::Index first_command, From from, State& state,
                  StateChanges& changes) noexcept;

  const ActuatorSetDerivatives& actuators() const noexcept { return actuators_; }

 private:
  StepStatus substep(From from, State& state, StateChanges& changes) noexcept;

  Plant& plant_;
  const Model& model_;
  int level_;
  ActuatorSetDerivatives actuators_;
  StepSlopes slopes_;
  std::unique_ptr<Integrator> integrator_;
  State before_;
  Workspace ws_;
  Loads loads_;
  LoadSlopes d_loads_;
  VectorX start_q_;
  MatrixX start_dq_;
};

}  // namespace kinloop
