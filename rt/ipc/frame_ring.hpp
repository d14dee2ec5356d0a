// Owns FrameRing: frames from the plant to one reader. The plant never waits: where the reader is too slow, new frames
// are dropped and counted.
#pragma once

#include "rt/ipc/queue.hpp"

namespace kinloop::rt {

template <class T, std::size_t kCapacity>
class FrameRing {
 public:
  /// In the plant's memory.
  struct Written {
    typename Queue<T, kCapacity>::Written frames;
    alignas(64) std::atomic<std::uint64_t> dropped{0};
  };
  /// In the reader's memory.
  using Read = typename Queue<T, kCapacity>::Read;

  FrameRing(Written& written, Read& read) noexcept : frames_(written.frames, read), dropped_(written.dropped) {}

  /// By the plant; false where the frame was dropped.
  bool publish(const T& frame) noexcept {
    if (frames_.push(frame)) return true;
    // Only the plant writes it; readers want the number, nothing that was written before it.
    dropped_.store(dropped_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    return false;
  }

  /// By the reader; false where there is no frame.
  bool take(T& frame) noexcept { return frames_.pop(frame); }

  std::size_t size() const noexcept { return frames_.size(); }
  std::uint64_t dropped() const noexcept { return dropped_.load(std::memory_order_relaxed); }
  /// Whether there ever was a reader.
  bool was_read() const noexcept { return frames_.was_read(); }

 private:
  Queue<T, kCapacity> frames_;
  std::atomic<std::uint64_t>& dropped_;
};

}  // namespace kinloop::rt
