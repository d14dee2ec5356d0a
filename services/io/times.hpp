// Owns the step from seconds, in which people and messages say times, to the nanoseconds of the clock.
#pragma once

#include <cmath>
#include <cstdint>

namespace kinloop::io {

inline std::int64_t later(std::int64_t now_ns, double time_s) noexcept { return now_ns + std::llround(time_s * 1e9); }

}  // namespace kinloop::io
