// Owns DeferredSignal: a futex event that a tick asks for and that is sent once the tick is over, since waking somebody
// is a system call.
#pragma once

#include <utility>

#include "rt/ipc/futex_event.hpp"

namespace kinloop::rt {

class DeferredSignal {
 public:
  explicit DeferredSignal(FutexEvent& event) noexcept : event_(event) {}

  void raise() noexcept { raised_ = true; }
  /// Outside ticks: wakes who waits, if that was asked for.
  void send() noexcept {
    if (std::exchange(raised_, false)) event_.notify();
  }

 private:
  FutexEvent& event_;
  bool raised_ = false;
};

}  // namespace kinloop::rt
