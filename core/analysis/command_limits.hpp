// Owns what a command chain's limits do to small changes of the command.
#pragma once

#include <string>
#include <vector>

#include "core/plant/plant.hpp"

namespace kinloop {

/// How far a command, or the value behind the rate limit, may be moved before a limit begins or ends to act.
struct CommandLimits {
  double room = 0.0;  // infinite without limits
  std::vector<std::string> warnings;
};

/// Of an actuator at a state, for a command.
CommandLimits command_limits(const Plant& plant, std::size_t actuator, const State& state, double command);

}  // namespace kinloop
