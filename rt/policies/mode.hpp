// Owns Mode: what releases a step.
#pragma once

#include <span>
#include <string_view>

#include "core/base/name_table.hpp"
#include "core/base/result.hpp"

namespace kinloop::rt {

enum class Mode {
  kRealTime,  // the clock
  kLockstep,  // each command
  kFree,      // the end of the one before
};

/// "real_time", "lockstep", "free".
std::string_view name_of(Mode mode) noexcept;
std::span<const KindName<Mode>> mode_names() noexcept;
Result<Mode> find_mode(std::string_view name);

}  // namespace kinloop::rt
