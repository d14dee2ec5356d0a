// Owns the sweep: many seeds in several processes, so that one that crashes or hangs is one more finding.
#pragma once

#include <cstdint>
#include <string>

#include "tests/adversary/judge.hpp"

namespace kinloop::adversary {

struct SweepPlan {
  std::uint64_t first = 1;
  int count = 200;
  int jobs = 1;
  double seconds = 0.0;  // 0: no bound
  std::string family;
  JudgeOptions judge;
};

/// Prints every finding with the command that repeats it, then the table. 1 if there were any.
int run_sweep(const SweepPlan& plan);

}  // namespace kinloop::adversary
