// The plant's part of a tick, without a clock.
#include "services/run/replay.hpp"

#include "core/base/stepping_mode.hpp"
#include "core/plant/plant.hpp"
#include "rt/state_hash.hpp"

namespace kinloop::run {
namespace {

/// A failed step leaves the count where it was; else it goes up by one.
std::optional<std::size_t> find_gap(const std::vector<rt::JournalEntry>& journal) {
  std::uint64_t last = 0;
  for (std::size_t i = 0; i < journal.size(); ++i) {
    if (journal[i].frame.step != last && journal[i].frame.step != last + 1) return i;
    last = journal[i].frame.step;
  }
  return std::nullopt;
}

}  // namespace

Result<ReplayResult> replay(const LoadedRig& rig, const std::vector<rt::JournalEntry>& journal,
                            const std::function<void(double)>& progress) {
  if (const auto gap = find_gap(journal)) {
    return Error{"journal", "steps are missing before step " + std::to_string(journal[*gap].frame.step) +
                                ": the run was faster than its journal could be written"};
  }
  const auto plant = Plant::make(rig.model.model, rig.spec.plant);
  if (!plant) return plant.error();
  State state = (*plant)->initial_state();
  std::vector<Reading> readings((*plant)->sensor_count());
  const auto levels = static_cast<std::int32_t>(rig.spec.plant.levels.size());
  const SteppingMode floating_point;
  ReplayResult result;
  for (const rt::JournalEntry& entry : journal) {
    if (entry.input.level < 0 || entry.input.level >= levels) return Error{"journal", "is damaged"};
    if (is_done((*plant)->step(entry.input, state))) (*plant)->sense(state, readings);
    result.differs = rt::state_hash(state) != entry.frame.state_hash;
    if (result.differs) break;
    ++result.steps;
    constexpr std::size_t kBetweenSigns = 1024;
    if (result.steps % kBetweenSigns == 0) {
      progress(static_cast<double>(result.steps) / static_cast<double>(journal.size()));
    }
  }
  return result;
}

}  // namespace kinloop::run
