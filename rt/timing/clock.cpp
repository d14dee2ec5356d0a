// Monotonic time and absolute sleep, from the platform.
#include "rt/timing/clock.hpp"

#include "rt/platform/platform.hpp"

namespace kinloop::rt {

std::int64_t MonotonicClock::now_ns() const noexcept { return platform::now_ns(); }
void MonotonicClock::sleep_until(std::int64_t time_ns) noexcept { platform::sleep_until(time_ns); }

}  // namespace kinloop::rt
