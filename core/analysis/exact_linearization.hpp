// Owns the linearisation of a plant's step by its exact derivatives.
#pragma once

#include <string>

#include "core/analysis/linearize.hpp"
#include "core/analysis/state_chart.hpp"

namespace kinloop {

/// Writes A, B, C, D of the step from `base` to `end`; names and points are those of the chart. Not empty: why it
/// cannot, in words that follow "because of"; nothing is written then. For analysis: it allocates.
std::string linearize_exactly(Plant& plant, const State& base, const State& end, const StepInput& input,
                              const StateChart& chart, Linearization& result);

}  // namespace kinloop
