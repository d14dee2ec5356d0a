// Measures the distances to the corners of the chain's limits.
#include "core/analysis/command_limits.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/actuators/actuator_type.hpp"

namespace kinloop {
namespace {

/// Corners this near (relative) count as met: no step of a difference would fit between.
constexpr double kMet = 1e-9;

}  // namespace

CommandLimits command_limits(const Plant& plant, std::size_t actuator, const State& state, double command) {
  const ActuatorSpec& spec = plant.spec().actuators[actuator];
  const CommandChainSettings& chain = spec.chain;
  CommandLimits result{std::numeric_limits<double>::infinity(), {}};
  const auto warn = [&](const char* what) { result.warnings.push_back(spec.name + ": " + what); };
  const auto meets = [&](double distance, double size) {
    if (std::abs(distance) <= kMet * (1.0 + std::abs(size))) return true;
    result.room = std::min(result.room, std::abs(distance));
    return false;
  };
  if (meets(command - chain.lower, command) || meets(chain.upper - command, command)) {
    warn("the command stands on its limit, beyond which nothing follows it");
  } else if (command < chain.lower || command > chain.upper) {
    warn("the command lies beyond its limits, so nothing follows it");
  }
  if (const CommandShape shape = actuator_type(spec.kind).command(spec); shape.full > 0.0) {
    for (const double corner : {-shape.full, -shape.dead_band, shape.dead_band, shape.full}) {
      meets(command - corner, corner);
    }
    if (std::abs(command) < shape.dead_band) warn("the valve stays shut around this opening, so nothing follows it");
  }
  for (const DeviceStateEntry& entry : plant.device_state_entries(state)) {
    if (entry.name != "rate." + spec.name) continue;
    const double within = std::clamp(command, chain.lower, chain.upper);
    const double change = std::abs(within - state.device_state()[entry.at]);
    const double most = chain.rate_per_s * plant.spec().dt_s;
    if (meets(change - most, most)) {
      warn("the command changes just as fast as its rate limit allows");
    } else if (change > most) {
      warn("the rate limit holds the command back, so nothing follows it yet");
    }
  }
  return result;
}

}  // namespace kinloop
