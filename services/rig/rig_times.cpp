// Implements the rounding: what is a whole number of steps but for the rounding of decimal fractions counts as whole.
#include "services/rig/rig_times.hpp"

#include <cmath>

#include "services/rig/rig_words.hpp"

namespace kinloop {
namespace {

constexpr double kRounding = 1e-9;      // of a quotient of two times as people write them, relative
constexpr double kLongestTime_s = 1e6;  // so that steps can be counted
constexpr double kMaxEvery = 1e6;       // steps from sample to sample

bool is_whole(double steps) { return std::abs(steps - std::round(steps)) <= kRounding * std::max(1.0, steps); }

std::string rate_text(double rate_Hz) {
  return rate_Hz >= 1e3 ? shown(1e-3 * rate_Hz) + " kHz" : shown(rate_Hz) + " Hz";
}

std::string time_text(double time_s) {
  if (time_s < 1e-3) return shown(1e6 * time_s) + " us";
  return time_s < 1.0 ? shown(1e3 * time_s) + " ms" : shown(time_s) + " s";
}

std::string divided(double base_Hz, double by) {
  return rate_text(base_Hz / by) + " (" + rate_text(base_Hz) + " / " + shown(by) + ")";
}

/// Why a sample can not be taken that often.
std::string rate_problem(double rate_Hz, double dt_s) {
  const double base_Hz = 1.0 / dt_s;
  const double steps = base_Hz / rate_Hz;
  const std::string base = "the rig's rate of " + rate_text(base_Hz);
  if (steps < 1.0 - kRounding) return rate_text(rate_Hz) + " is above " + base;
  if (steps > kMaxEvery) return rate_text(rate_Hz) + " is below a millionth of " + base;
  return rate_text(rate_Hz) + " does not divide " + base + "; the nearest that do are " +
         divided(base_Hz, std::ceil(steps)) + " and " + divided(base_Hz, std::floor(steps));
}

}  // namespace

std::optional<double> read_step(Fields& root) {
  if (!root.mapping().is_mapping()) return std::nullopt;
  if (root.has("step") == root.has("rate")) {
    root.error(root.has("rate") ? "rate" : "", root.has("rate")
                                                   ? "give either 'step' or 'rate', not both"
                                                   : "missing key 'step' or 'rate': how long a step lasts, or how many "
                                                     "there are in a second");
    return std::nullopt;
  }
  const bool is_rate = root.has("rate");
  const char* key = is_rate ? "rate" : "step";
  const std::optional<double> value =
      root.optional_number(key, is_rate ? Dimension::frequency() : Dimension::time(), Range::kPositive);
  if (!value) return std::nullopt;
  const double dt_s = is_rate ? 1.0 / *value : *value;
  const bool in_range = dt_s >= kShortestStep_s * (1.0 - kRounding) && dt_s <= kLongestStep_s * (1.0 + kRounding);
  if (!in_range) {
    root.error(key, is_rate ? "must lie between 1 Hz and 1000 kHz, got " + rate_text(*value)
                            : "must lie between 1 us and 1 s, got " + time_text(*value));
    return std::nullopt;
  }
  return dt_s;
}

void warn_of_period(Fields& root, const RigScope& scope) {
  if (!scope.dt_s) return;
  const double period_ns = 1e9 * *scope.dt_s;
  if (std::abs(period_ns - std::round(period_ns)) <= 1e-6) return;
  warn(root, root.has("rate") ? "rate" : "step",
       "is no whole number of nanoseconds: the clock will release a step every " +
           std::to_string(std::llround(period_ns)) + " ns",
       scope);
}

int read_every(Fields& fields, const RigScope& scope) {
  const std::optional<double> rate_Hz = fields.optional_number("rate", Dimension::frequency(), Range::kPositive);
  if (!rate_Hz || !scope.dt_s) return 1;
  const double steps = 1.0 / (*scope.dt_s * *rate_Hz);
  const bool fits = steps >= 1.0 - kRounding && steps <= kMaxEvery * (1.0 + kRounding) && is_whole(steps);
  if (fits) return static_cast<int>(std::lround(steps));
  fields.error("rate", rate_problem(*rate_Hz, *scope.dt_s));
  return 1;
}

double read_delay(Fields& fields, std::string_view key, double fallback_s, const RigScope& scope) {
  const double delay_s = fields.number_or(key, Dimension::time(), fallback_s, Range::kNonNegative);
  if (delay_s > kLongestDelay_s) {
    fields.error(key, "is at most " + time_text(kLongestDelay_s) + ", got " + time_text(delay_s));
    return fallback_s;
  }
  // Twice: the step itself may be a rounding below its bound.
  if (scope.dt_s && delay_s > kMaxDelaySteps * *scope.dt_s * (1.0 + 2.0 * kRounding)) {
    fields.error(key, "is at most " + std::to_string(std::lround(kMaxDelaySteps)) + " steps, got " +
                          shown(delay_s / *scope.dt_s));
    return fallback_s;
  }
  return delay_s;
}

std::int64_t read_steps(Fields& fields, std::string_view key, Rounding rounding, const RigScope& scope) {
  if (is_word(fields, key, kNoneWord)) return 0;
  const std::optional<double> time_s = fields.optional_number(key, Dimension::time(), Range::kNonNegative);
  if (!time_s) return 0;
  if (*time_s > kLongestTime_s) {
    fields.error(key, "is at most " + time_text(kLongestTime_s) + ", got " + time_text(*time_s));
    return 0;
  }
  if (!scope.dt_s) return 0;
  const double steps = *time_s / *scope.dt_s;
  if (rounding == Rounding::kUp) return std::llround(is_whole(steps) ? std::round(steps) : std::ceil(steps));
  const double whole = is_whole(steps) ? std::round(steps) : std::floor(steps);
  if (whole < 1.0) {
    fields.error(key, "must be at least one step, " + time_text(*scope.dt_s) + ", got " + time_text(*time_s) +
                          "; 'none' is no bound at all");
    return 0;
  }
  return std::llround(whole);
}

}  // namespace kinloop
