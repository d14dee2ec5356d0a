// Owns the linearisation of one step of a plant, commands held over it:
//
//   x+ = x_next + A (x - x_0) + B (u - u_0),   y = y_0 + C (x+ - x_next) + D (u - u_0)
//
// x are the entries of StateChart, u the commands, y the true signals of all sensors at the end of the step: without
// noise, delay and all else that sensors add. By the exact derivatives of the step, or by differences: perturbed states
// keep their loops closed, in positions and velocities, and pass through the plant's own step. For analysis: it
// allocates.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/plant/plant.hpp"

namespace kinloop {

enum class LinearizeMethod {
  kExact,        // analytic, where every part of the step can be differentiated; else differences
  kDifferences,  // of the plant's own step
};

/// "exact", "differences"; an error lists both.
Result<LinearizeMethod> find_linearize_method(std::string_view name);

/// On which side of an edge between two branches, where the state or a command stands right on one.
enum class LinearizeSide {
  kEither,  // as the step happens to take it; a warning names it
  kBelow,   // all of x and u lower by 1e-8 of their sizes
  kAbove,   // higher
};

/// "either", "below", "above"; an error lists them.
Result<LinearizeSide> find_linearize_side(std::string_view name);

struct LinearizeSettings {
  LinearizeMethod method = LinearizeMethod::kExact;
  /// The independent coordinates, by their speeds' names ("crank", "gimbal.1"); none: chosen.
  std::vector<std::string> independent;
  /// Of the mechanism, to differentiate by: core/analysis/model_parameters.hpp. By exact derivatives only.
  std::vector<std::string> parameters = {};
  LinearizeSide side = LinearizeSide::kEither;
};

struct Linearization {
  std::vector<std::string> states, inputs, outputs;  // names
  VectorX x, u, y, x_next;                           // x_0, u_0; y_0 and x_next are those of the step itself
  MatrixX A, B, C, D;
  std::vector<std::string> parameters;  // names; their values, and what a change of each does to x+
  VectorX p;
  MatrixX P;
  double dt_s = 0.0;
  std::string method;  // "exact", or "differences" and why: "differences, because of integrator linearly_implicit"
  /// Of differences, else zero: the largest estimated error of an entry of A and B, against the largest of its column;
  /// rows count in units that make a difference (StateChart::sizes).
  double uncertainty = 0.0;
  /// Where the step is not smooth, so that the matrices hold to one side only, or hardly at all: "motor: ...".
  std::vector<std::string> warnings;
};

class ExactDerivatives;

/// Around a state and the commands of `given`. The state is not changed; samples that a multi-step integrator keeps in
/// it are not used, since x does not describe them. Errors: a `given` that is no input for this plant, a singular
/// position, a step that fails, independent coordinates that are none, parameters that are none or that the step cannot
/// be differentiated by. Who linearises a plant often keeps its derivatives' memory
/// (core/analysis/exact_linearization.hpp).
Result<Linearization> linearize(Plant& plant, const State& state, const StepInput& given,
                                const LinearizeSettings& settings = {}, ExactDerivatives* kept = nullptr);

}  // namespace kinloop
