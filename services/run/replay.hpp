// Owns the repetition of a run from its directory: the same inputs, and the same bits or none.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "services/rig/rig_file.hpp"
#include "services/run/journal_file.hpp"

namespace kinloop::run {

struct ReplayResult {
  std::size_t steps = 0;  // that agree
  bool differs = false;   // the next one does not
};

/// Steps a new plant with the inputs of the journal until a hash differs. `progress` is told the share that is done.
/// An error where the journal has gaps, or the rig cannot be made.
Result<ReplayResult> replay(const LoadedRig& rig, const std::vector<rt::JournalEntry>& journal,
                            const std::function<void(double)>& progress);

}  // namespace kinloop::run
