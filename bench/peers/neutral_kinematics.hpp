// Owns what can be said of a state without any contestant: how far loops are open, how much energy there is.
#pragma once

#include "bench/peers/mechanism.hpp"

namespace kinloop::bench {

/// The largest distance between the two points of a closing joint.
double loop_gap_m(const Mechanism& mechanism, const MotionState& state);

/// Kinetic energy and weight.
double total_energy_J(const Mechanism& mechanism, const MotionState& state);

}  // namespace kinloop::bench
