// Checks a snapshot as a whole before any of it is used.
#include "rt/loop/snapshots.hpp"

#include <algorithm>
#include <span>

#include "rt/messages/state_hash.hpp"

namespace kinloop::rt {
namespace {

bool are_accepted(std::span<const CommandState> policies, const InputSource& input) noexcept {
  for (std::size_t i = 0; i < policies.size(); ++i) {
    if (!input.accepts(i, policies[i])) return false;
  }
  return true;
}

}  // namespace

Snapshots::Snapshots(SteppedPlant& stepped, PlantMemory& memory)
    : stepped_(stepped), memory_(memory), first_(stepped.state), incoming_(stepped.state) {}

ReplyStatus Snapshots::export_snapshot(std::uint64_t steps, const PendingChanges& changes) noexcept {
  const State& state = stepped_.state;
  const std::span<double> block = memory_.outgoing_block;
  const std::span<const CommandState> policies = stepped_.input.memory();
  if (block.size() != static_cast<std::size_t>(state.block().size())) return ReplyStatus::kRefused;
  std::copy_n(state.block().data(), block.size(), block.data());
  memory_.outgoing.state_hash = state_hash(state);
  memory_.outgoing.actuators = static_cast<std::uint32_t>(policies.size());
  std::copy(policies.begin(), policies.end(), memory_.outgoing.policies.begin());
  memory_.outgoing.count = steps;
  memory_.outgoing.changes = changes.count;
  memory_.outgoing.change = changes.change;
  return ReplyStatus::kDone;
}

ReplyStatus Snapshots::import_snapshot(const Plant& plant, PendingChanges& changes) noexcept {
  const std::span<const double> block = memory_.incoming_block;
  const std::span<CommandState> policies = stepped_.input.memory();
  if (block.size() != static_cast<std::size_t>(incoming_.block().size())) return ReplyStatus::kRefused;
  // What is judged is what is used, whatever happens to the buffer meanwhile.
  const SnapshotBuffer buffer = memory_.incoming;
  std::copy_n(block.data(), block.size(), incoming_.block().data());
  const bool is_whole = buffer.actuators == policies.size() && buffer.changes <= kMaxChanges &&
                        buffer.state_hash == state_hash(incoming_) &&
                        are_accepted(std::span(buffer.policies).first(buffer.actuators), stepped_.input) &&
                        plant.accepts({incoming_.block().data(), block.size()});
  if (!is_whole) return ReplyStatus::kRefused;
  for (std::size_t i = 0; i < policies.size(); ++i) {
    if (!policies[i].stopped) policies[i] = buffer.policies[i];  // no snapshot lifts an emergency stop
  }
  changes.count = buffer.changes;
  changes.change = buffer.change;
  return ReplyStatus::kDone;
}

void Snapshots::set_parameters(const State& first, std::uint64_t number) noexcept {
  first_.block() = first.block();
  origin_.parameters = number;
  origin_.parameters_last = origin_.restored != 0;
}

void Snapshots::restart_from(const State& start, std::uint64_t number) noexcept {
  stepped_.state.block() = start.block();
  stepped_.fault.recover();
  origin_.restored = number;
  origin_.parameters_last = false;
}

}  // namespace kinloop::rt
