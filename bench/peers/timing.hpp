// Owns the clock of the benchmark: interleaved batches, of which the fastest counts.
#pragma once

#include <vector>

#include "bench/peers/peer.hpp"
#include "bench/peers/report.hpp"

namespace kinloop::bench {

enum class Effort { kQuick, kFull };

/// Writes Entry::forward_dynamics_ns of every peer; `entries` has the order of `peers`.
void measure_forward_dynamics(const std::vector<Peer*>& peers, int state_count, Effort effort,
                              std::vector<Entry>& entries);

/// Writes Entry::step_ns of every peer.
void measure_steps(const std::vector<Peer*>& peers, int state_count, double dt_s, Effort effort,
                   std::vector<Entry>& entries);

}  // namespace kinloop::bench
