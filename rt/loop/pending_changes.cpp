// Collects changes until a step takes them.
#include "rt/loop/pending_changes.hpp"

namespace kinloop::rt {
namespace {

bool needs_room(const StepChange& change) noexcept {
  return change.kind == ChangeKind::kForce ||
         (change.kind == ChangeKind::kFault && change.fault == SignalFault::kDelay);
}

}  // namespace

ReplyStatus PendingChanges::add(const StepChange& next, const Plant& plant, const State& state) noexcept {
  if (!plant.can_apply(next, state)) return ReplyStatus::kRefused;
  // What needs room is judged by the state, which does not know of changes that wait: such come alone.
  if (count == kMaxChanges || (count > 0 && needs_room(next))) return ReplyStatus::kFull;
  change[count++] = next;
  return ReplyStatus::kDone;
}

void PendingChanges::move_into(StepInput& input) noexcept {
  if (count == 0) return;  // a recorded input has its own
  input.changes = count;
  input.change = change;
  count = 0;
}

}  // namespace kinloop::rt
