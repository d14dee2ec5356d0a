// XXH3 over the block of doubles.
#include "rt/messages/state_hash.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace kinloop::rt {

std::uint64_t state_hash(const State& state) noexcept {
  const VectorX& block = state.block();
  return XXH3_64bits(block.data(), static_cast<std::size_t>(block.size()) * sizeof(double));
}

}  // namespace kinloop::rt
