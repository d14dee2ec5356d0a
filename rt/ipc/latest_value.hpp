// Owns LatestValue: a mailbox of one value between two processes, newest wins.
//
// Three slots: the writer fills one, the reader looks at another, the third holds what was published last. Who owns
// which is one word of memory, changed by a single atomic operation, so a process that is killed at any instruction
// leaves a mailbox in which the last value can still be read and to which another writer can go on writing.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <type_traits>

namespace kinloop::rt {

template <class T>
class LatestValue {
  static_assert(std::is_trivially_copyable_v<T>, "lives in memory that processes share");
  static_assert(std::atomic<std::uint32_t>::is_always_lock_free);

 public:
  struct Taken {
    const T* value = nullptr;  // valid until the next take(); nullptr: nothing was ever written
    bool is_new = false;       // not seen by take() before
  };

  /// By the one writer. False if the word was no order of slots (another process wrote over it; it is then set right)
  /// or if the reader was in the way too often; the value is lost then.
  bool write(const T& value) noexcept {
    std::uint32_t word =
        word_.load(std::memory_order_acquire);  // the reader has left the slot that is now the writer's
    if (!is_valid(word)) {
      word_.store(kInitial, std::memory_order_release);
      return false;
    }
    slots_[writers(word)] = value;
    for (int i = 0; i < kMaxTries; ++i) {
      const std::uint32_t next = packed(published(word), writers(word), readers(word), kNew | (word & kRead));
      // Release: the value is in its slot before the reader can own it. Acquire: as above, for the next write.
      if (word_.compare_exchange_strong(word, next, std::memory_order_acq_rel, std::memory_order_acquire)) return true;
      if (!is_valid(word)) return false;
    }
    return false;
  }

  /// By the one reader: the newest value, or the last one again. Wait-free.
  Taken take() noexcept {
    std::uint32_t word = word_.load(std::memory_order_acquire);
    for (int i = 0; i < kMaxTries && is_valid(word) && (word & kNew) != 0; ++i) {
      const std::uint32_t next = packed(writers(word), readers(word), published(word), kRead);
      // Acquire: what the writer released. Release: the reader is done with the slot that it gives back.
      if (word_.compare_exchange_strong(word, next, std::memory_order_acq_rel, std::memory_order_acquire)) {
        return {&slots_[readers(next)], true};
      }
    }
    if (!is_valid(word) || (word & kRead) == 0) return {};
    return {&slots_[readers(word)], false};
  }

 private:
  static constexpr int kMaxTries = 4;
  static constexpr std::uint32_t kNew = 1U << 6U;   // published and not taken
  static constexpr std::uint32_t kRead = 1U << 7U;  // the reader's slot holds a value

  static constexpr std::uint32_t packed(std::uint32_t writer, std::uint32_t published, std::uint32_t reader,
                                        std::uint32_t flags) noexcept {
    return writer | published << 2U | reader << 4U | flags;
  }
  static constexpr std::uint32_t kInitial = packed(0, 1, 2, 0);

  static std::uint32_t writers(std::uint32_t word) noexcept { return word & 3U; }
  static std::uint32_t published(std::uint32_t word) noexcept { return word >> 2U & 3U; }
  static std::uint32_t readers(std::uint32_t word) noexcept { return word >> 4U & 3U; }
  static bool is_valid(std::uint32_t word) noexcept {
    return word < 1U << 8U && (1U << writers(word) | 1U << published(word) | 1U << readers(word)) == 7U;
  }

  alignas(64) std::atomic<std::uint32_t> word_{kInitial};
  alignas(64) std::array<T, 3> slots_{};
};

}  // namespace kinloop::rt
