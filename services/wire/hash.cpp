// XXH3 from xxhash.h.
#include "services/wire/hash.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace kinloop::wire {

std::uint64_t hash_of(std::string_view bytes) noexcept { return XXH3_64bits(bytes.data(), bytes.size()); }

}  // namespace kinloop::wire
