// Owns SpinGate: whether it pays to spin for a signal before sleeping for it.
//
// On a machine with a core to spare a signal that comes within microseconds is seen sooner than a sleeper can be woken.
// On a busy one a thread that spins may keep the very thread from running that is to signal, for as long as it spins:
// each time in vain closes the gate for twice as many waits as the time before, a signal opens it again.
#pragma once

#include <algorithm>
#include <cstdint>

namespace kinloop::rt {

class SpinGate {
 public:
  static constexpr std::uint32_t kMaxClosed = 255;  // waits

  /// Before a wait; what becomes of it is told if this is true.
  bool lets_spin() noexcept {
    if (closed_ == 0) return true;
    --closed_;
    return false;
  }
  void tell(bool is_signalled) noexcept {
    in_vain_ = is_signalled ? 0 : std::min(2 * in_vain_ + 1, kMaxClosed);
    closed_ = in_vain_;
  }

 private:
  std::uint32_t closed_ = 0, in_vain_ = 0;
};

}  // namespace kinloop::rt
