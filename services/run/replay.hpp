// Owns the repetition of a run from its record: the same inputs, and the same bits or none.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.hpp"

namespace kinloop::run {

struct ReplayResult {
  std::string rig;
  std::size_t steps = 0;                    // that agree
  std::optional<std::uint64_t> differs_at;  // the first that does not
  std::vector<std::string> remarks;         // what the record lacks
};

/// Steps a new plant with the recorded inputs until a hash differs. `progress` is told the share that is done, and the
/// plant's time. An error where the record has gaps, is damaged, or its rig cannot be made.
Result<ReplayResult> replay(const std::filesystem::path& file,
                            const std::function<void(double share, double time_s)>& progress);

}  // namespace kinloop::run
