// Owns the list of contestants that take part in a run.
#pragma once

#include <vector>

#include "bench/peers/peer.hpp"

namespace kinloop::bench {

/// Ours, with the formulation that it chooses itself.
Contestant kinloop_contestant();

/// Ours, one contestant a formulation; each builds those mechanisms that it does not refuse.
std::vector<Contestant> kinloop_formulations();

/// The libraries beside us that this build has; says on stderr which are missing.
std::vector<Contestant> find_peers();

}  // namespace kinloop::bench
