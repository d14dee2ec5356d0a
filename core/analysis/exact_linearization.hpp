// Owns the linearisation of a plant's step by its exact derivatives.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/analysis/linearize.hpp"
#include "core/analysis/model_parameters.hpp"
#include "core/analysis/output_slopes.hpp"
#include "core/analysis/state_chart.hpp"
#include "core/analysis/step_derivatives.hpp"

namespace kinloop {

/// Why a step with this input, which ends or begins in this state, cannot be differentiated, in words that follow
/// "because of"; empty: it can.
std::string step_refusal(const Plant& plant, const State& state, const StepInput& input);
/// The same of what StepDerivatives::update() gave.
std::string step_failure(StepStatus status);

/// Marks the independent speeds of a chart.
std::vector<char> independent_marks(const Model& model, const StateChart& chart);

/// Of actuators whose force a sensor shows at once: how it answers its command. Else 0.
VectorX forces_per_command(const Plant& plant, const StepDerivatives& step);

/// The memory of exact derivatives of one plant's steps, kept from one linearisation to the next: to make it takes
/// longer than to use it. The plant must outlive it.
class ExactDerivatives {
 public:
  explicit ExactDerivatives(Plant& plant) : plant_(plant) {}

  /// For steps of this solver level and these independent speeds (independent_marks()); `like` is any state of the
  /// plant.
  void prepare(int level, const std::vector<char>& independent, const State& like);
  /// After prepare().
  StepDerivatives& step() noexcept { return *step_; }
  OutputSlopes& outputs() noexcept { return *outputs_; }
  Plant& plant() noexcept { return plant_; }

 private:
  Plant& plant_;
  int level_ = 0;
  std::vector<char> independent_;
  std::optional<StepDerivatives> step_;
  std::optional<OutputSlopes> outputs_;
};

/// Writes A, B, C, D and the method of the step from `base` to `end`; names and points are those of the chart. Not
/// empty: why it cannot, in words that follow "because of"; nothing is written then. For analysis: it allocates.
std::string linearize_exactly(ExactDerivatives& derivatives, const State& base, const State& end,
                              const StepInput& input, StateChart& chart, Linearization& result);

/// The same of the derivatives by parameters of the mechanism, one per column.
std::string differentiate_by_parameters(Plant& plant, const State& base, const State& end, const StepInput& input,
                                        const StateChart& chart, const NamedValues& parameters, MatrixX& P);

}  // namespace kinloop
