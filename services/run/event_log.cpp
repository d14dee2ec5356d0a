// Writes events as JSON, one object a line.
#include "services/run/event_log.hpp"

#include <nlohmann/json.hpp>

#include "core/base/status.hpp"
#include "rt/policies/liveness.hpp"
#include "services/console/table.hpp"

namespace kinloop::run {
namespace {

constexpr std::int64_t kOverrunsSaid = 3;  // more are counted in the report

std::string failure_text(std::int64_t value, const std::vector<std::string>& constraints) {
  std::string text(describe(static_cast<StepStatus>(value & 0xff)));
  const auto constraint = static_cast<std::size_t>(value >> 8);
  if (constraint > 0 && constraint <= constraints.size())
    text += ", least of all '" + constraints[constraint - 1] + "'";
  return text;
}

std::string sentence_of(const rt::Event& event, const std::vector<std::string>& constraints) {
  switch (event.kind) {
    case rt::EventKind::kOverrun:
      return "step " + std::to_string(event.step) + " ended " +
             console::plain_number(static_cast<double>(event.value) * 1e-3) + " us too late";
    case rt::EventKind::kLevelChanged:
      return "the solver works at level " + std::to_string(event.value);
    case rt::EventKind::kStale:
      return "commands are too old: actuators are made safe";
    case rt::EventKind::kFresh:
      return "all actuators are commanded again";
    case rt::EventKind::kStepFailed:
      return "step " + std::to_string(event.step + 1) + " failed: " + failure_text(event.value, constraints);
    case rt::EventKind::kPaused:
      return "paused";
    case rt::EventKind::kResumed:
      return "resumed";
    case rt::EventKind::kOverrunLimit:
      return "too many steps ended too late: " + std::to_string(event.value);
    case rt::EventKind::kWatchdogTripped:
      return "the plant has shown no life for " + console::plain_number(static_cast<double>(event.value) * 1e-6) +
             " ms: it is given up, sensors show what the rig declares for this";
    case rt::EventKind::kPlantDied:
      return "the plant's process died (" + std::to_string(event.value) +
             "), sensors show what the rig declares for this";
    case rt::EventKind::kReset:
      return "reset to its first state";
    case rt::EventKind::kRestored:
      return "goes on from a snapshot of step " + std::to_string(event.value);
    case rt::EventKind::kParameters:
      return "other parameters are in force from step " + std::to_string(event.step + 1);
    case rt::EventKind::kMadeSafe:
      return "emergency stop: all actuators are safe until they are re-armed";
    case rt::EventKind::kRearmed:
      return "actuators are re-armed";
    case rt::EventKind::kAbandoned:
      return std::string(event.value == static_cast<std::int64_t>(rt::Guardian::kIo) ? "io" : "the supervisor") +
             " showed no life: all actuators are safe until they are re-armed";
    case rt::EventKind::kStarted:
      return "the plant started";
    case rt::EventKind::kEnded:
      return "the plant ended";
    case rt::EventKind::kChanged:
      break;
  }
  return {};
}

log::Level level_of(rt::EventKind kind) {
  switch (kind) {
    case rt::EventKind::kStepFailed:
    case rt::EventKind::kOverrunLimit:
    case rt::EventKind::kWatchdogTripped:
    case rt::EventKind::kPlantDied:
      return log::Level::kError;
    case rt::EventKind::kOverrun:
    case rt::EventKind::kLevelChanged:
    case rt::EventKind::kStale:
    case rt::EventKind::kMadeSafe:
    case rt::EventKind::kAbandoned:
      return log::Level::kWarning;
    case rt::EventKind::kFresh:
    case rt::EventKind::kPaused:
    case rt::EventKind::kResumed:
    case rt::EventKind::kReset:
    case rt::EventKind::kRestored:
    case rt::EventKind::kParameters:
    case rt::EventKind::kRearmed:
      return log::Level::kInfo;
    case rt::EventKind::kChanged:
    case rt::EventKind::kStarted:
    case rt::EventKind::kEnded:
      break;
  }
  return log::Level::kDebug;
}

}  // namespace

EventLog::EventLog(const std::filesystem::path& file, std::vector<std::string> constraints, double dt_s,
                   log::Logger log, int core)
    : file_(file, {}, log, core), constraints_(std::move(constraints)), dt_s_(dt_s), log_(log) {}

void EventLog::add(const rt::Event& event, std::int64_t start_ns) {
  const nlohmann::ordered_json line = {{"t_s", static_cast<double>(event.time_ns - start_ns) * 1e-9},
                                       {"time_ns", event.time_ns},
                                       {"step", event.step},
                                       {"event", name_of(event.kind)},
                                       {"value", event.value}};
  file_.add(line.dump() + "\n");
  say(event);
}

void EventLog::say(const rt::Event& event) {
  if (event.kind == rt::EventKind::kOverrun && ++overruns_said_ > kOverrunsSaid) return;
  const std::string sentence = sentence_of(event, constraints_);
  if (sentence.empty()) return;
  log_.write(level_of(event.kind), console::plain_number(static_cast<double>(event.step) * dt_s_) + " s: " + sentence);
}

}  // namespace kinloop::run
