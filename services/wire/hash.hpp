// Owns the hash of bytes by which things are told apart; not for secrets.
#pragma once

#include <cstdint>
#include <string_view>

namespace kinloop::wire {

/// XXH3, 64 bits.
std::uint64_t hash_of(std::string_view bytes) noexcept;

}  // namespace kinloop::wire
