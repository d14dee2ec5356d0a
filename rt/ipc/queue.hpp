// Owns Queue: a bounded first-in, first-out queue between two processes. Nothing is lost; a full queue says so.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <type_traits>

namespace kinloop::rt {

template <class T, std::size_t kCapacity>
class Queue {
  static_assert(std::is_trivially_copyable_v<T>, "lives in memory that processes share");
  static_assert(std::has_single_bit(kCapacity));
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

 public:
  /// By the one producer; false where the queue is full.
  bool push(const T& value) noexcept {
    const std::uint64_t tail = tail_.load(std::memory_order_relaxed);  // the producer's own
    const std::uint64_t head = head_.load(std::memory_order_acquire);  // the consumer has read all slots before it
    if (tail - head >= kCapacity) return false;  // full, or a head that no consumer of ours can have left
    slots_[tail % kCapacity] = value;
    tail_.store(tail + 1, std::memory_order_release);  // the value is in its slot before the consumer sees it
    return true;
  }

  /// By the one producer: the next push would find no room.
  bool is_full() const noexcept {
    return tail_.load(std::memory_order_relaxed) - head_.load(std::memory_order_acquire) >= kCapacity;
  }

  /// By the one consumer; false where the queue is empty.
  bool pop(T& value) noexcept {
    const std::uint64_t head = head_.load(std::memory_order_relaxed);  // the consumer's own
    const std::uint64_t tail = tail_.load(std::memory_order_acquire);  // values before it are in their slots
    if (tail == head) return false;
    if (tail - head > kCapacity) {  // no producer of ours can have left this: start over from where it stands
      head_.store(tail, std::memory_order_release);
      return false;
    }
    value = slots_[head % kCapacity];
    head_.store(head + 1, std::memory_order_release);  // the slot was read before the producer may fill it again
    return true;
  }

  /// By either: whether the consumer has ever taken a value.
  bool was_read() const noexcept { return head_.load(std::memory_order_relaxed) != 0; }

  /// By either; the other side may be at work.
  std::size_t size() const noexcept {
    const std::uint64_t head = head_.load(std::memory_order_acquire);
    const std::uint64_t tail = tail_.load(std::memory_order_acquire);
    return tail - head <= kCapacity ? static_cast<std::size_t>(tail - head) : 0;
  }

 private:
  alignas(64) std::atomic<std::uint64_t> head_{0};  // apart from the tail, so that the two sides do not share a line
  alignas(64) std::atomic<std::uint64_t> tail_{0};
  alignas(64) std::array<T, kCapacity> slots_{};
};

}  // namespace kinloop::rt
