// What is done about time: late steps, the watchdog, and when frames leave.
#include "services/rig/field_kinds.hpp"
#include "services/rig/rig_tables.hpp"

namespace kinloop {
namespace {

constexpr long long kMaxSteps = 1'000'000'000;

void check_watchdog(Fields& watchdog, const RigScope& scope, const rt::WatchdogSettings& settings) {
  const bool is_short =
      watchdog.has("timeout") && scope.dt_s && settings.timeout_s > 0.0 && settings.timeout_s < 2.0 * *scope.dt_s;
  if (is_short) watchdog.error("timeout", "must be at least two steps, or it trips while all is well");
  constexpr double kLeastLife_s = 0.1;
  const bool is_hasty = settings.life_timeout_s > 0.0 && settings.life_timeout_s < kLeastLife_s;
  if (is_hasty) watchdog.error("life_timeout", "must be at least 100 ms, or it trips while all is well");
  if (!settings.device.empty() && !settings.device.starts_with("/dev/")) {
    watchdog.error("device", "expected a device such as /dev/watchdog, or 'none'");
  }
}

}  // namespace

const RigFields<rt::OverrunSettings>& overrun_fields() {
  using S = rt::OverrunSettings;
  static const RigFields<S> kFields = {
      field("policy", Word<rt::OverrunKind>{rt::overrun_names}, "skip", "see below", &S::kind),
      field("max_behind", Whole{1, kMaxSteps}, "10", "steps that `catch_up` and `degrade` make up for", &S::max_behind),
      field("recover_after", Whole{1, kMaxSteps}, "100", "steps in time before `degrade` takes back one level",
            &S::recover_after),
      field("grace", Ticks{Rounding::kUp}, "0 s",
            "time at the start in which late steps reach no limit and degrade nothing; rounded up to whole steps",
            &S::grace_steps),
      field("max_consecutive", Whole{1, kMaxSteps, kNoneWord}, "none",
            "late steps one after the other; one more ends the run; `none`", &S::max_consecutive),
      field("max_in_window", Whole{1, kMaxSteps, kNoneWord}, "none", "the same within the last `window` steps",
            &S::max_in_window),
      field("window", Whole{1, rt::OverrunPolicy::kLongestWindow}, "1000", "steps, at most 65536", &S::window_steps),
  };
  return kFields;
}

const RigFields<rt::WatchdogSettings>& watchdog_fields() {
  using S = rt::WatchdogSettings;
  static const RigFields<S> kFields = {
      field("timeout", Number{Dimension::time(), "s", Range::kPositive, kAutoWord, 0.0}, "auto",
            "time without a sign of life, at least two steps; `auto`: 10 steps, at least 50 ms", &S::timeout_s),
      field("core", Whole{0, kHighestCore, kAutoWord, -1}, "auto", "that it stays on; `auto`: any but the plant's",
            &S::core),
      field("priority", Whole{1, kHighestPriority}, "90",
            "1 to 99, SCHED_FIFO; on the plant's own core above the plant's", &S::priority),
      field("device", Text{kNoneWord, "^(none|/dev/.*)$"}, "none",
            "a hardware watchdog that is petted while all is well, `/dev/watchdog`; `none`", &S::device),
      // Where it is the default, rigs are written as they were before there was one: snapshots know them by that.
      written_if(
          [](const S& settings) { return settings.life_timeout_s != S{}.life_timeout_s; },
          field("life_timeout", Number{Dimension::time(), "s", Range::kPositive, kNoneWord, 0.0}, "2 s",
                "in mode `real_time`: all actuators are made safe once supervisor or `io` has shown no life for so "
                "long, at least 100 ms; `none`: never",
                &S::life_timeout_s)),
  };
  return kFields;
}

const RigFields<rt::FrameSettings>& frames_fields() {
  using S = rt::FrameSettings;
  static const RigFields<S> kFields = {
      field("rate", Rate{}, derived("every step"), "of frames; must divide the rate of the rig", &S::every),
      field("leave", Word<S::Leave>{leave_words}, "at_end",
            "`at_end` of the step, or `at_release` of the next one: later, but without the jitter of the step's work",
            &S::leave),
  };
  return kFields;
}

void read_overrun(Fields& root, const RigScope& scope, RigSpec& spec) {
  rt::OverrunSettings& settings = spec.overrun;
  settings.levels = static_cast<int>(spec.plant.levels.size());
  if (const YamlNode* value = root.node("overrun"); value != nullptr && value->is_scalar()) {
    settings.kind = root.choice_or("overrun", rt::overrun_names(), settings.kind);  // the policy alone
  } else if (std::optional<Fields> overrun = root.optional_child("overrun")) {
    read_fields(overrun_fields(), *overrun, scope, settings);
    if (settings.max_in_window >= settings.window_steps) {
      overrun->error("max_in_window", "must be below the window's " + std::to_string(settings.window_steps) +
                                          " steps, or it is never passed; got " +
                                          std::to_string(settings.max_in_window));
    }
    overrun->finish();
  }
  const bool degrades = settings.kind == rt::OverrunKind::kDegrade;
  if (degrades && settings.levels < 2) {
    root.error("overrun", "'degrade' needs a cheaper solver to turn to: give at least one under 'degraded_solvers'");
  }
  if (!degrades && root.has("degraded_solvers")) {
    warn(root, "degraded_solvers", "are not used: only 'overrun: degrade' does", scope);
  }
}

void read_watchdog(Fields& root, const RigScope& scope, RigSpec& spec) {
  std::optional<Fields> watchdog = root.optional_child("watchdog");
  if (!watchdog) return;
  read_fields(watchdog_fields(), *watchdog, scope, spec.watchdog);
  check_watchdog(*watchdog, scope, spec.watchdog);
  watchdog->finish();
  if (plant_starves_watchdog(spec)) {
    watchdog->error("priority", "on the plant's own core it must be above the plant's, " +
                                    std::to_string(spec.priority) + ", or a plant that hangs keeps it from running");
  }
}

void read_frames(Fields& root, const RigScope& scope, RigSpec& spec) {
  std::optional<Fields> frames = root.optional_child("frames");
  if (!frames) return;
  read_fields(frames_fields(), *frames, scope, spec.frames);
  frames->finish();
}

}  // namespace kinloop
