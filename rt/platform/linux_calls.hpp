// Owns the calls of Linux that both back ends make: for every thread of one, for the ordinary threads of the other.
#pragma once

#include <atomic>
#include <cstdint>

namespace kinloop::rt::platform {

inline constexpr std::int64_t kSecond_ns = 1'000'000'000;

void linux_sleep_until(std::int64_t time_ns) noexcept;
void futex_wake(std::atomic<std::uint32_t>& word) noexcept;
void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t value, std::int64_t max_ns) noexcept;

}  // namespace kinloop::rt::platform
