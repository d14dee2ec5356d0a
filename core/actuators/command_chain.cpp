// Exact for commands that are held over a step.
#include "core/actuators/command_chain.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace kinloop {

CommandChain::CommandChain(const CommandChainSettings& settings, double dt_s) noexcept
    : settings_(settings),
      max_change_(settings.rate_per_s * dt_s),
      share_(settings.lag_s > 0.0 ? -std::expm1(-dt_s / settings.lag_s) : 1.0),
      delay_(settings.delay_s, dt_s) {
  require(settings.lower <= settings.upper, "limits leave something between them");
}

void CommandChain::start(double value, std::span<double> state) const noexcept {
  const CommandChainState held(state);
  const double within = std::clamp(value, settings_.lower, settings_.upper);
  held.limited = held.lagged = within;
  delay_.fill(within, held.delayed);
}

double CommandChain::pass(std::uint64_t step, double command, std::span<double> state) const noexcept {
  const CommandChainState held(state);
  const double within = std::clamp(command, settings_.lower, settings_.upper);
  const double change = within - held.limited;
  held.limited = std::abs(change) <= max_change_ ? within : held.limited + std::copysign(max_change_, change);
  const double delayed = delay_.pass(step, held.limited, held.delayed);
  held.lagged = share_ < 1.0 ? held.lagged + share_ * (delayed - held.lagged) : delayed;
  return held.lagged;
}

CommandChain::Slopes CommandChain::slopes(double command, std::span<const double> state) const noexcept {
  const double within = std::clamp(command, settings_.lower, settings_.upper);
  const bool is_held_back = std::abs(within - state[rate_place()]) > max_change_;
  const bool follows = command >= settings_.lower && command <= settings_.upper && !is_held_back;
  return {follows ? 1.0 : 0.0, is_held_back ? 1.0 : 0.0, share_, 1.0 - share_};
}

int CommandChain::flaw_in(std::span<const double> state) const noexcept {
  constexpr double kRounding = 1e-9;
  const double lower = settings_.lower - kRounding * (1.0 + std::abs(settings_.lower));
  const double upper = settings_.upper + kRounding * (1.0 + std::abs(settings_.upper));
  for (std::size_t i = 0; i < state.size(); ++i) {
    if (!(state[i] >= lower && state[i] <= upper)) return static_cast<int>(i);
  }
  return -1;
}

}  // namespace kinloop
