// Exact for commands that are held over a step.
#include "core/actuators/command_chain.hpp"

#include <algorithm>
#include <cmath>

namespace kinloop {

CommandChain::CommandChain(const CommandChainSettings& settings, double dt_s) noexcept
    : settings_(settings),
      max_change_(settings.rate_per_s * dt_s),
      share_(settings.lag_s > 0.0 ? -std::expm1(-dt_s / settings.lag_s) : 1.0),
      delay_(settings.delay_s, dt_s) {
  require(settings.lower <= settings.upper, "limits leave something between them");
}

void CommandChain::start(double value, double* state) const noexcept {
  const double within = std::clamp(value, settings_.lower, settings_.upper);
  state[0] = state[1] = within;
  delay_.fill(within, state + kHeld);
}

double CommandChain::pass(std::uint64_t step, double command, double* state) const noexcept {
  const double within = std::clamp(command, settings_.lower, settings_.upper);
  const double change = within - state[0];
  state[0] = std::abs(change) <= max_change_ ? within : state[0] + std::copysign(max_change_, change);
  const double delayed = delay_.pass(step, state[0], state + kHeld);
  state[1] = share_ < 1.0 ? state[1] + share_ * (delayed - state[1]) : delayed;
  return state[1];
}

}  // namespace kinloop
