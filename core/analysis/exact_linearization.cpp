// A and B of the step, then C and D of the signals at its end.
#include "core/analysis/exact_linearization.hpp"

#include "core/base/at.hpp"

namespace kinloop {

std::string step_refusal(const Plant& plant, const State& state, const StepInput& input) {
  if (input.changes != 0) return "changes that come with the step";
  for (std::size_t i = 0; i < plant.actuator_count(); ++i) {
    const std::size_t signal = plant.sensor_count() + i;
    if (plant.fault_of(signal, state) != SignalFault::kNone || plant.is_overridden(signal, state)) {
      return "a fault of actuator '" + plant.spec().actuators[i].name + "'";
    }
  }
  return StepPropagator::refusal(plant, input.level);
}

std::string step_failure(StepStatus status) {
  if (status == StepStatus::kSingularMass) return "a position that is nearly singular";
  if (status == StepStatus::kNotConverged) return "a step that is repeated until it meets the forces of its oil";
  return "a step of which this happened: " + std::string(describe(status));
}

std::vector<char> independent_marks(const Model& model, const StateChart& chart) {
  std::vector<char> marks(at(model.nv()), 0);
  for (const int i : chart.independents()) marks[at(i)] = 1;
  return marks;
}

VectorX forces_per_command(const Plant& plant, const StepDerivatives& step) {
  const std::vector<int> direct = plant.direct_forces();
  VectorX forces = VectorX::Zero(static_cast<Eigen::Index>(plant.actuator_count()));
  for (Eigen::Index j = 0; j < forces.size(); ++j) {
    if (direct[at(j)] >= 0) forces[j] = step.force_per_command(static_cast<int>(j));
  }
  return forces;
}

void ExactDerivatives::prepare(int level, const std::vector<char>& independent, const State& like) {
  if (step_ && level == level_ && independent == independent_) return;
  level_ = level;
  independent_ = independent;
  step_.emplace(plant_, level, independent, like);
  outputs_.emplace(plant_, independent);
}

std::string linearize_exactly(ExactDerivatives& derivatives, const State& base, const State& end,
                              const StepInput& input, StateChart& chart, Linearization& result) {
  Plant& plant = derivatives.plant();
  if (std::string refused = step_refusal(plant, end, input); !refused.empty()) return refused;
  derivatives.prepare(input.level, independent_marks(plant.model(), chart), base);
  StepDerivatives& step = derivatives.step();
  OutputSlopes& outputs = derivatives.outputs();
  const StepStatus status = step.update(base, input);
  if (status != StepStatus::kOk) return step_failure(status);
  MatrixX C, D;
  if (std::string refused = outputs.update(base, end, chart, forces_per_command(plant, step), C, D); !refused.empty()) {
    return refused;
  }
  result.A = step.A();
  result.B = step.B();
  result.C = std::move(C);
  result.D = std::move(D);
  result.method = "exact";
  if (outputs.has_differences()) result.method += ", sensors of reactions by differences";
  return {};
}

std::string differentiate_by_parameters(Plant& plant, const State& base, const State& end, const StepInput& input,
                                        const StateChart& chart, const NamedValues& parameters, MatrixX& P) {
  if (std::string refused = step_refusal(plant, end, input); !refused.empty()) return refused;
  if (std::string refused = StepPropagator::parameter_refusal(plant, input.level); !refused.empty()) return refused;
  const auto neighbours = parameter_neighbours(plant.model(), parameters);
  if (!neighbours) return neighbours.error().what;
  ParameterForces forces(*neighbours);
  StepDerivatives step(plant, input.level, independent_marks(plant.model(), chart), base, EndChart::kOfStart, &forces);
  const StepStatus status = step.update(base, input);
  if (status != StepStatus::kOk) return step_failure(status);
  P = step.P();
  return {};
}

}  // namespace kinloop
