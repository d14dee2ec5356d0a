// Owns the clock of io, and the step from seconds, in which people and messages say times, to its nanoseconds.
#pragma once

#include <cmath>
#include <cstdint>

#include "rt/timing/clock.hpp"

namespace kinloop::io {

inline std::int64_t now_ns() noexcept { return rt::MonotonicClock().now_ns(); }

inline std::int64_t later(std::int64_t now_ns, double time_s) noexcept { return now_ns + std::llround(time_s * 1e9); }

}  // namespace kinloop::io
