// Owns the contest on trees: first that all agree, then how long each takes.
#pragma once

#include <string>

#include "bench/peers/peer.hpp"
#include "bench/peers/report.hpp"
#include "bench/peers/timing.hpp"

namespace kinloop::bench {

/// Prints as it goes. Mechanisms whose names do not contain `filter` are left out.
Report run_tree_contest(const std::vector<Contestant>& contestants, Effort effort, const std::string& filter);

}  // namespace kinloop::bench
