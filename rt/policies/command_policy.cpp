// Checks commands value by value: finite, within limits, not too old.
#include "rt/policies/command_policy.hpp"

#include <algorithm>
#include <cmath>

namespace kinloop::rt {
namespace {

constexpr NameTable kStaleNames("policy for stale commands",
                                std::array{KindName{StaleKind::kHold, "hold"}, KindName{StaleKind::kZero, "zero"},
                                           KindName{StaleKind::kRamp, "ramp"}, KindName{StaleKind::kFreeze, "freeze"}});

}  // namespace

std::string_view name_of(StaleKind kind) noexcept { return kStaleNames.name_of(kind); }
std::span<const KindName<StaleKind>> stale_names() noexcept { return kStaleNames.entries(); }

bool can_have_value(const CommandSettings& settings, double value) noexcept {
  const double lower = std::min({settings.lower, settings.initial, 0.0});
  const double upper = std::max({settings.upper, settings.initial, 0.0});
  return std::isfinite(value) && value >= lower && value <= upper;
}

bool can_have_age(const CommandSettings& settings, const CommandState& state) noexcept {
  const std::int64_t most = settings.max_age_ticks == 0 ? 0 : settings.max_age_ticks + (state.safe ? 1 : 0);
  return state.age_ticks >= 0 && state.age_ticks <= most;
}

CommandPolicy::CommandPolicy(std::vector<CommandSettings> settings)
    : settings_(std::move(settings)), states_(settings_.size()), seen_(settings_.size(), 0) {
  require(settings_.size() <= kMaxActuators, "the actuators fit into a command");
  for (std::size_t i = 0; i < settings_.size(); ++i) states_[i].value = settings_[i].initial;
}

bool CommandPolicy::resolve(const Command* fresh, std::span<double> values) noexcept {
  require(values.size() == settings_.size(), "one value for each actuator");
  if (fresh != nullptr && fresh->count != settings_.size()) {
    ++counters_.of_other_count;
    fresh = nullptr;
  }
  freezes_ = stale_ = false;
  if (fresh != nullptr && fresh->epoch != epoch_) {
    epoch_ = fresh->epoch;
    std::fill(seen_.begin(), seen_.end(), 0U);
  }
  bool all_taken = fresh != nullptr;
  bool some_taken = false;
  for (std::size_t i = 0; i < settings_.size(); ++i) {
    const bool given = fresh != nullptr && is_given(*fresh, i);
    const bool taken = given && take(*fresh, i);
    all_taken = all_taken && (taken || !given);
    some_taken = some_taken || taken;
    if (!taken) age(i);
    stale_ = stale_ || states_[i].safe;
    freezes_ = freezes_ || (states_[i].safe && settings_[i].when_stale == StaleKind::kFreeze);
    values[i] = states_[i].value;
  }
  counters_.accepted += all_taken && (some_taken || settings_.empty()) ? 1 : 0;
  return some_taken || (all_taken && settings_.empty());
}

bool CommandPolicy::is_given(const Command& command, std::size_t i) noexcept {
  const bool is_new = command.given[i] != 0 && command.given[i] != seen_[i];
  seen_[i] = command.given[i];
  return is_new;
}

bool CommandPolicy::take(const Command& command, std::size_t i) noexcept {
  const double value = command.value[i];
  CommandState& state = states_[i];
  if (!std::isfinite(value)) {
    ++counters_.not_finite;
    return false;
  }
  if (value < settings_[i].lower || value > settings_[i].upper) {
    ++counters_.out_of_range;
    return false;
  }
  if (state.stopped || (state.safe && (command.rearm >> i & 1U) == 0)) {
    ++counters_.ignored_while_safe;
    return false;
  }
  counters_.rearmed += state.safe ? 1 : 0;
  state = {value, 0, true, false, false};
  return true;
}

void CommandPolicy::rearm(std::uint64_t actuators) noexcept {
  for (std::size_t i = 0; i < states_.size(); ++i) {
    if ((actuators >> i & 1U) == 0 || !states_[i].safe) continue;
    states_[i].safe = states_[i].stopped = false;
    states_[i].age_ticks = 0;
    ++counters_.rearmed;
  }
}

void CommandPolicy::make_safe() noexcept {
  for (std::size_t i = 0; i < states_.size(); ++i) {
    counters_.made_safe += states_[i].safe ? 0 : 1;
    states_[i].safe = states_[i].stopped = true;
    if (settings_[i].when_stale == StaleKind::kHold) states_[i].value = 0.0;  // to hold would be no stop
  }
}

std::uint64_t CommandPolicy::stopped() const noexcept {
  std::uint64_t mask = 0;
  for (std::size_t i = 0; i < states_.size(); ++i) mask |= std::uint64_t{states_[i].stopped ? 1U : 0U} << i;
  return mask;
}

bool CommandPolicy::is_stopped() const noexcept {
  return std::all_of(states_.begin(), states_.end(), [](const CommandState& state) { return state.stopped; });
}

void CommandPolicy::age(std::size_t i) noexcept {
  const CommandSettings& settings = settings_[i];
  CommandState& state = states_[i];
  const bool ages = state.commanded && settings.max_age_ticks != 0;
  if (ages && !state.safe) {
    ++state.age_ticks;
    if (state.age_ticks > settings.max_age_ticks) {
      ++counters_.made_safe;
      state.safe = true;
    }
  }
  if (!state.safe) return;
  if (settings.when_stale == StaleKind::kZero) state.value = 0.0;
  if (settings.when_stale == StaleKind::kRamp) {
    const double step = std::min(std::abs(state.value), settings.ramp_per_tick);
    state.value -= std::copysign(step, state.value);
  }
}

}  // namespace kinloop::rt
