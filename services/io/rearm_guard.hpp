// Owns RearmGuard: no re-arming lifts a stop that was asked for after it, however long io stood still.
#pragma once

#include <cstdint>

#include "rt/policies/emergency_stop.hpp"

namespace kinloop::io {

class RearmGuard {
 public:
  /// Longer between two rounds: io was held up, and what waits in its sockets meanwhile may be that old.
  static constexpr std::int64_t kHeldUp_ns = 1'000'000'000;
  /// Afterwards: the threads of ZeroMQ were held up as well, and may still have it.
  static constexpr std::int64_t kSettled_ns = 1'000'000'000;

  explicit RearmGuard(const rt::StopWords& stops) noexcept : stops_(stops) {}

  /// At the beginning of a round of io's main thread, before it reads requests.
  void begin_round(std::int64_t now_ns) noexcept {
    if (last_ns_ != 0 && now_ns - last_ns_ > kHeldUp_ns) {
      was_held_up_ = true;
      settled_ns_ = now_ns + kSettled_ns;
    }
    if (!was_held_up_) known_ = asked();
    last_ns_ = now_ns;
  }
  /// In this round no request waits any more.
  void has_read_all() noexcept { was_held_up_ = was_held_up_ && last_ns_ < settled_ns_; }
  /// Whether a re-arming that is read now was asked for after every stop.
  bool may_rearm() const noexcept { return !was_held_up_ || asked() == known_; }

 private:
  std::uint64_t asked() const noexcept {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < rt::kStopWriters; ++i) sum += stops_[i].count.load(std::memory_order_acquire);
    return sum;
  }

  const rt::StopWords& stops_;
  std::int64_t last_ns_ = 0, settled_ns_ = 0;
  std::uint64_t known_ = 0;  // stops, at the last round that was in time
  bool was_held_up_ = false;
};

}  // namespace kinloop::io
