// Owns Queue: a bounded first-in, first-out queue between two processes. Nothing is lost; a full queue says so.
//
// Each side writes in memory of its own, which the other may have mapped for reading alone.
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
  /// In the producer's memory.
  struct Written {
    alignas(64) std::atomic<std::uint64_t> tail{0};
    alignas(64) std::array<T, kCapacity> slots{};
  };
  /// In the consumer's memory.
  struct Read {
    alignas(64) std::atomic<std::uint64_t> head{0};
  };

  Queue(Written& written, Read& read) noexcept : written_(written), read_(read) {}

  /// By the one producer; false where the queue is full.
  bool push(const T& value) noexcept {
    const std::uint64_t tail = written_.tail.load(std::memory_order_relaxed);  // the producer's own
    const std::uint64_t head = read_.head.load(std::memory_order_acquire);     // all slots before it have been read
    if (tail - head >= kCapacity) return false;  // full, or a head that no consumer of ours can have left
    written_.slots[tail % kCapacity] = value;
    written_.tail.store(tail + 1, std::memory_order_release);  // the value is in its slot before the consumer sees it
    return true;
  }

  /// By the one producer: the next push would find no room.
  bool is_full() const noexcept {
    return written_.tail.load(std::memory_order_relaxed) - read_.head.load(std::memory_order_acquire) >= kCapacity;
  }

  /// By the one consumer; false where the queue is empty.
  bool pop(T& value) noexcept {
    const std::uint64_t head = read_.head.load(std::memory_order_relaxed);     // the consumer's own
    const std::uint64_t tail = written_.tail.load(std::memory_order_acquire);  // values before it are in their slots
    if (tail == head) return false;
    if (tail - head > kCapacity) {  // no producer of ours can have left this: start over from where it stands
      read_.head.store(tail, std::memory_order_release);
      return false;
    }
    value = written_.slots[head % kCapacity];
    read_.head.store(head + 1, std::memory_order_release);  // the slot was read before the producer may fill it again
    return true;
  }

  /// By either: whether the consumer has ever taken a value.
  bool was_read() const noexcept { return read_.head.load(std::memory_order_relaxed) != 0; }

  /// By either; the other side may be at work.
  std::size_t size() const noexcept {
    const std::uint64_t head = read_.head.load(std::memory_order_acquire);
    const std::uint64_t tail = written_.tail.load(std::memory_order_acquire);
    return tail - head <= kCapacity ? static_cast<std::size_t>(tail - head) : 0;
  }

 private:
  Written& written_;
  Read& read_;
};

}  // namespace kinloop::rt
