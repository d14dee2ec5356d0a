// Owns LatestValue: a mailbox of one value between two processes, newest wins.
//
// Four slots in two pairs, after Simpson ("Four-slot fully asynchronous communication mechanism", 1990): the writer
// goes to the pair that the reader is not in, and there to the slot that was not written last. Each side writes in
// memory of its own, which the other may have mapped for reading alone: the writer slots and what is newest, the reader
// which pair it is in. Neither ever waits or tries again, and a process that is killed at any instruction leaves a
// mailbox in which the last whole value can be read, and to which another writer can go on writing.
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

  struct Slot {
    std::uint64_t number = 0;  // counts what was written; 0: nothing yet
    T value{};
  };

 public:
  /// In the writer's memory.
  struct Written {
    alignas(64) std::atomic<std::uint32_t> newest_pair{0};
    std::array<std::atomic<std::uint32_t>, 2> newest_slot{};  // of each pair
    std::uint64_t count = 0;                                  // the writer's own
    alignas(64) std::array<std::array<Slot, 2>, 2> slots{};
  };
  /// In the reader's memory.
  struct Read {
    alignas(64) std::atomic<std::uint32_t> pair{0};
    std::uint64_t seen = 0;  // the reader's own: the number of what it took last
  };

  struct Taken {
    const T* value = nullptr;  // valid until the next take(); nullptr: nothing was ever written
    bool is_new = false;       // not seen by take() before
  };

  LatestValue(Written& written, Read& read) noexcept : written_(written), read_(read) {}

  /// By the one writer.
  void write(const T& value) noexcept {
    // All marks are sequentially consistent: a writer that comes a second time after the reader has chosen its slot
    // sees which pair that one is in. It acquires besides: the reader is done with the pair that it left.
    const std::uint32_t pair = 1U - (read_.pair.load(std::memory_order_seq_cst) & 1U);
    const std::uint32_t slot = 1U - (written_.newest_slot[pair].load(std::memory_order_relaxed) & 1U);  // its own
    written_.slots[pair][slot] = {++written_.count, value};
    written_.newest_slot[pair].store(slot, std::memory_order_seq_cst);  // the value is in its slot before it is found
    written_.newest_pair.store(pair, std::memory_order_seq_cst);
  }

  /// By the one reader: the newest value, or the last one again.
  Taken take() noexcept {
    const std::uint32_t pair = written_.newest_pair.load(std::memory_order_seq_cst) & 1U;
    read_.pair.store(pair, std::memory_order_seq_cst);  // before the look at its slots; after all use of the other pair
    const Slot& slot = written_.slots[pair][written_.newest_slot[pair].load(std::memory_order_seq_cst) & 1U];
    const std::uint64_t number = slot.number;
    if (number == 0) return {};
    const bool is_new = number != read_.seen;
    read_.seen = number;
    return {&slot.value, is_new};
  }

 private:
  Written& written_;
  Read& read_;
};

}  // namespace kinloop::rt
