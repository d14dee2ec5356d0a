// Owns the race over IFToMM A02: the same simulated time, the same step and method, and what became of the energy.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "bench/peers/peer.hpp"
#include "bench/peers/timing.hpp"

namespace kinloop::bench {

/// Runs every contestant that has a Runge-Kutta method of order 4, and prints.
nlohmann::ordered_json run_a02_race(const std::vector<Contestant>& contestants, Effort effort);

}  // namespace kinloop::bench
