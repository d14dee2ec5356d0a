// Latches a stop when a writer's word differs from the one latched last; only a re-arm clears it.
#include "rt/policies/emergency_stop.hpp"

namespace kinloop::rt {

bool StopLatch::is_asked() noexcept {
  bool asked = false;
  for (std::size_t i = 0; i < kStopWriters; ++i) {
    seen_[i] = words_[i].count.load(std::memory_order_relaxed);                       // it stands for itself
    asked = asked || seen_[i] != receipts_[i].count.load(std::memory_order_relaxed);  // the loop's own
  }
  return asked;
}

void StopLatch::confirm(std::uint64_t tick, std::uint64_t step) noexcept {
  for (std::size_t i = 0; i < kStopWriters; ++i) {
    StopReceipt& receipt = receipts_[i];
    if (receipt.count.load(std::memory_order_relaxed) == seen_[i]) continue;
    receipt.tick.store(tick, std::memory_order_relaxed);
    receipt.step.store(step, std::memory_order_relaxed);
    receipt.count.store(seen_[i], std::memory_order_release);  // who sees it sees tick and step
  }
}

}  // namespace kinloop::rt
