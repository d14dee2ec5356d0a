// Owns Clock: the time that releases steps. Nanoseconds of a clock that nobody sets and that never goes back.
#pragma once

#include <cstdint>

namespace kinloop::rt {

class Clock {
 public:
  Clock() = default;
  Clock(const Clock&) = delete;
  Clock& operator=(const Clock&) = delete;
  virtual ~Clock() = default;

  virtual std::int64_t now_ns() const noexcept = 0;
  /// Returns at the given time or later; at once where it is over. Signals do not end it.
  virtual void sleep_until(std::int64_t time_ns) noexcept = 0;
};

/// CLOCK_MONOTONIC: settimeofday and leap seconds do not touch it.
class MonotonicClock final : public Clock {
 public:
  std::int64_t now_ns() const noexcept override;
  void sleep_until(std::int64_t time_ns) noexcept override;
};

}  // namespace kinloop::rt
