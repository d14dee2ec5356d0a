// Owns the warm-up of a plant: code, data and branch predictors are in their caches when the first step is due.
#pragma once

#include "core/plant/plant.hpp"

namespace kinloop::rt {

/// Steps a copy of the state at every level; the state itself stays. It allocates.
void warm_up(Plant& plant, const State& state);

}  // namespace kinloop::rt
