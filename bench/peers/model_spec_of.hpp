// Owns the neutral mechanism as Kinloop's own description.
#pragma once

#include "bench/peers/mechanism.hpp"
#include "core/model/model_spec.hpp"

namespace kinloop::bench {

ModelSpec model_spec_of(const Mechanism& mechanism);

/// The same, starting at a state.
ModelSpec model_spec_of(const Mechanism& mechanism, const MotionState& start);

}  // namespace kinloop::bench
