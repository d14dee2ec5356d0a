// Reads what is done about time: late steps, the threads' places, the watchdog, and when frames leave.
#include "services/rig/rig_times.hpp"
#include "services/rig/rig_words.hpp"

namespace kinloop {
namespace {

constexpr long long kMaxSteps = 1'000'000'000;
constexpr int kMaxCores = 1024;
constexpr int kHighestPriority = 99;

/// A number of steps; 0 stands for `none`.
std::int64_t read_bound(Fields& fields, std::string_view key, long long most, std::int64_t fallback) {
  if (is_word(fields, key, kNoneWord)) return 0;
  constexpr long long kAbsentOrWrong = -1;
  const long long bound = fields.integer_or(key, 0, most, kAbsentOrWrong);
  if (bound == 0) fields.error(key, "must be at least 1, got 0; 'none' is no limit");
  return bound == kAbsentOrWrong ? fallback : bound;
}

int read_core(Fields& fields, int fallback) {
  if (is_word(fields, "core", kAutoWord)) return -1;
  return static_cast<int>(fields.integer_or("core", 0, kMaxCores - 1, fallback));
}

int read_priority(Fields& fields, int fallback) {
  return static_cast<int>(fields.integer_or("priority", 1, kHighestPriority, fallback));
}

void check_window(Fields& overrun, const rt::OverrunSettings& settings) {
  if (settings.max_in_window < settings.window_steps) return;
  overrun.error("max_in_window", "must be below the window's " + std::to_string(settings.window_steps) +
                                     " steps, or it is never passed; got " + std::to_string(settings.max_in_window));
}

void read_overrun_settings(Fields& overrun, const RigScope& scope, rt::OverrunSettings& settings) {
  settings.kind = overrun.choice_or("policy", overrun_words(), settings.kind);
  settings.max_behind = overrun.integer_or("max_behind", 1, kMaxSteps, settings.max_behind);
  settings.recover_after = overrun.integer_or("recover_after", 1, kMaxSteps, settings.recover_after);
  settings.grace_steps = read_steps(overrun, "grace", Rounding::kUp, scope);
  settings.max_consecutive = read_bound(overrun, "max_consecutive", kMaxSteps, settings.max_consecutive);
  settings.max_in_window = read_bound(overrun, "max_in_window", kMaxSteps, settings.max_in_window);
  settings.window_steps = overrun.integer_or("window", 1, rt::OverrunPolicy::kLongestWindow, settings.window_steps);
  check_window(overrun, settings);
  overrun.finish();
}

void read_watchdog(Fields& watchdog, const RigScope& scope, rt::WatchdogSettings& settings) {
  if (!is_word(watchdog, "timeout", kAutoWord)) {
    settings.timeout_s = watchdog.number_or("timeout", Dimension::time(), settings.timeout_s, Range::kPositive);
    const bool is_short =
        watchdog.has("timeout") && scope.dt_s && settings.timeout_s > 0.0 && settings.timeout_s < 2.0 * *scope.dt_s;
    if (is_short) watchdog.error("timeout", "must be at least two steps, or it trips while all is well");
  }
  settings.core = read_core(watchdog, settings.core);
  settings.priority = read_priority(watchdog, settings.priority);
  if (!is_word(watchdog, "device", kNoneWord)) {
    settings.device = watchdog.optional_text("device").value_or(settings.device);
    if (!settings.device.empty() && !settings.device.starts_with("/dev/")) {
      watchdog.error("device", "expected a device such as /dev/watchdog, or 'none'");
    }
  }
  watchdog.finish();
}

}  // namespace

void read_overrun(Fields& root, const RigScope& scope, RigSpec& spec) {
  rt::OverrunSettings& settings = spec.overrun;
  settings.levels = static_cast<int>(spec.plant.levels.size());
  if (const YamlNode* value = root.node("overrun"); value != nullptr && value->is_scalar()) {
    settings.kind = root.choice_or("overrun", overrun_words(), settings.kind);  // the policy alone
  } else if (std::optional<Fields> overrun = root.optional_child("overrun")) {
    read_overrun_settings(*overrun, scope, settings);
  }
  const bool degrades = settings.kind == rt::OverrunKind::kDegrade;
  const bool has_levels = root.has("degraded_solvers");
  if (degrades && settings.levels < 2) {
    root.error("overrun", "'degrade' needs a cheaper solver to turn to: give at least one under 'degraded_solvers'");
  }
  if (!degrades && has_levels) warn(root, "degraded_solvers", "are not used: only 'overrun: degrade' does", scope);
}

void read_threads(Fields& root, const RigScope& scope, RigSpec& spec) {
  spec.core = read_core(root, spec.core);
  spec.priority = read_priority(root, spec.priority);
  std::optional<Fields> watchdog = root.optional_child("watchdog");
  if (watchdog) read_watchdog(*watchdog, scope, spec.watchdog);
  if (plant_starves_watchdog(spec)) {
    watchdog->error("priority", "on the plant's own core it must be above the plant's, " +
                                    std::to_string(spec.priority) + ", or a plant that hangs keeps it from running");
  }
}

void read_frames(Fields& root, const RigScope& scope, RigSpec& spec) {
  std::optional<Fields> frames = root.optional_child("frames");
  if (!frames) return;
  spec.frames.every = read_every(*frames, scope);
  spec.frames.leave = frames->choice_or("leave", leave_words(), spec.frames.leave);
  frames->finish();
}

}  // namespace kinloop
