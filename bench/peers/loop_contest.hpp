// Owns the contest on closed loops: the peers, and every formulation of ours that treats them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "bench/peers/peer.hpp"
#include "bench/peers/report.hpp"
#include "bench/peers/timing.hpp"

namespace kinloop::bench {

/// What one contestant achieved on one mechanism with loops.
struct LoopEntry {
  std::string contestant;
  bool exact = true;             // claims to solve loops exactly, so its accelerations must agree
  double rest_difference = 0.0;  // of accelerations from the first contestant's, all speeds zero
  double difference = 0.0;       // the same in motion
  double gap_m = 0.0;            // by which loops are open after kOpenSteps steps of 1 ms
  Entry times;
};

struct LoopRow {
  std::string mechanism;
  int speeds = 0, loops = 0;
  std::vector<LoopEntry> entries;  // ours with the formulation it chooses first
  bool agrees = true;
};

inline constexpr int kOpenSteps = 500;

/// Prints as it goes. Mechanisms whose names do not contain `filter` are left out.
std::vector<LoopRow> run_loop_contest(const std::vector<Contestant>& contestants, Effort effort,
                                      const std::string& filter);

nlohmann::ordered_json to_json(const std::vector<LoopRow>& rows);

}  // namespace kinloop::bench
