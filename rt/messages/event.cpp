// Names of events, as they are written and sent.
#include "rt/messages/event.hpp"

#include "core/base/name_table.hpp"

namespace kinloop::rt {
namespace {

constexpr NameTable kEventNames(
    "event",
    std::array{KindName{EventKind::kStarted, "started"}, KindName{EventKind::kOverrun, "overrun"},
               KindName{EventKind::kLevelChanged, "level_changed"}, KindName{EventKind::kStale, "stale"},
               KindName{EventKind::kFresh, "fresh"}, KindName{EventKind::kStepFailed, "step_failed"},
               KindName{EventKind::kPaused, "paused"}, KindName{EventKind::kResumed, "resumed"},
               KindName{EventKind::kOverrunLimit, "overrun_limit"},
               KindName{EventKind::kWatchdogTripped, "watchdog_tripped"}, KindName{EventKind::kPlantDied, "plant_died"},
               KindName{EventKind::kEnded, "ended"}, KindName{EventKind::kReset, "reset"},
               KindName{EventKind::kRestored, "restored"}, KindName{EventKind::kChanged, "changed"},
               KindName{EventKind::kParameters, "parameters"}, KindName{EventKind::kMadeSafe, "made_safe"},
               KindName{EventKind::kRearmed, "rearmed"}, KindName{EventKind::kAbandoned, "abandoned"}});

}  // namespace

std::string_view name_of(EventKind kind) noexcept { return kEventNames.name_of(kind); }

}  // namespace kinloop::rt
