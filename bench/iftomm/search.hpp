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

/// The time becomes the minimum of a few runs, since others may use the machine.
void time_again(const Problem& problem, Finding& finding);

/// Over all integrators and a ladder of steps. No single run takes longer than `max_wall_s`.
Findings search(const Problem& problem, const std::string& formulation, double max_wall_s);

}  // namespace kinloop::bench
