// Owns how times and rates of a rig file become steps.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "services/rig/rig_sections.hpp"

namespace kinloop {

inline constexpr double kShortestStep_s = 1e-6;
inline constexpr double kLongestStep_s = 1.0;
/// Delays are kept step by step in the state, which is copied and hashed: each is bounded, and so are all together.
inline constexpr double kLongestDelay_s = 10.0;
inline constexpr double kMaxDelaySteps = 1e5;
inline constexpr double kMaxDelayStepsOfAll = 1e6;

/// The step from exactly one of the keys `step` and `rate`; nothing if that is wrong.
std::optional<double> read_step(Fields& root);
/// Warns of steps that the clock can not release exactly.
void warn_of_period(Fields& root, const RigScope& scope);

/// From the key `rate`: every how many steps, 1 if it is absent. The rate must divide that of the steps.
int read_every(Fields& fields, const RigScope& scope);

/// A delay within its bounds.
double read_delay(Fields& fields, std::string_view key, double fallback_s, const RigScope& scope);

/// A time in whole steps: the least number that lasts as long, or the greatest that lasts no longer (and at least 1).
/// 0 if the key is absent, wrong or `none`.
enum class Rounding { kUp, kDown };
std::int64_t read_steps(Fields& fields, std::string_view key, Rounding rounding, const RigScope& scope);

}  // namespace kinloop
