// Owns the search for the fastest way to a wanted precision.
#pragma once

#include <optional>
#include <string>

#include "bench/iftomm/run.hpp"

namespace kinloop::bench {

struct Finding {
  Method method;
  Score score;
};

struct Findings {
  std::optional<Finding> low, high;
};

/// Over all integrators and a ladder of steps. No single run takes longer than `most_wall_s`.
Findings search(const Problem& problem, const std::string& formulation, double most_wall_s);

}  // namespace kinloop::bench
