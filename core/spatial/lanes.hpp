// Owns what moves rows of numbers four lanes at a time: loads and stores at any address, tails number by number.
#pragma once

#include <cstring>

#include "core/spatial/vec3.hpp"

namespace kinloop {

inline Lanes4 load_lanes(const double* p) noexcept {
  Lanes4 lanes;
  std::memcpy(&lanes, p, sizeof lanes);
  return lanes;
}
inline void store_lanes(Lanes4 lanes, double* p) noexcept { std::memcpy(p, &lanes, sizeof lanes); }
/// The first `count` of them, at most all.
inline void store_lanes(Lanes4 lanes, double* p, int count) noexcept {
  if (count >= 4) return store_lanes(lanes, p);
  for (int i = 0; i < count; ++i) p[i] = lanes[i];
}

inline void copy_lanes(const double* from, std::ptrdiff_t count, double* to) noexcept {
  std::ptrdiff_t i = 0;
  for (; i + 4 <= count; i += 4) store_lanes(load_lanes(from + i), to + i);
  if (count >= 4) {
    store_lanes(load_lanes(from + count - 4), to + count - 4);  // some of them once more
  } else {
    for (; i < count; ++i) to[i] = from[i];
  }
}

/// Room for `count` numbers that may be read and written by eights.
constexpr std::ptrdiff_t padded_to_lanes(std::ptrdiff_t count) noexcept { return (count + 3 + 7) / 8 * 8; }

}  // namespace kinloop
