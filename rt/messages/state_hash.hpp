// Owns the hash of a State: equal hashes mean equal bits.
#pragma once

#include <cstdint>

#include "core/model/state.hpp"

namespace kinloop::rt {

/// XXH3 over the whole block. No allocation.
std::uint64_t state_hash(const State& state) noexcept;

}  // namespace kinloop::rt
