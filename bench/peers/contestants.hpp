// Owns the list of contestants that take part in a run.
#pragma once

#include <vector>

#include "bench/peers/peer.hpp"

namespace kinloop::bench {

/// Ours, linked in when kinloop_peer.cpp is part of the build.
Contestant kinloop_contestant();

/// Those of this build, ours first if present; says on stderr which peers are missing.
std::vector<Contestant> find_contestants();

}  // namespace kinloop::bench
