// Owns the emergency stop's way into the loop: words in shared memory, which no queue, mode or process can hold up.
//
// Every process that may stop has a word of its own and counts it up: any change of it is a stop, so that neither a
// repeated nor a damaged word can hide one. The loop reads all words in every iteration, paused, waiting and frozen
// ones included, makes all actuators safe, then says in its receipts which stop it latched, and when. What was latched
// holds until a request re-arms the actuators.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace kinloop::rt {

/// Whose word it is.
enum class StopWriter : std::uint32_t { kSupervisor, kIo, kLocal };
inline constexpr std::size_t kStopWriters = 3;

/// Written by one process, read by the loop.
struct StopWord {
  std::atomic<std::uint64_t> count{0};       // of stops
  std::atomic<std::uint64_t> asked_tick{0};  // Heartbeat::iterations once the last one was in place
};

/// Written by the loop, read by whoever asked.
struct StopReceipt {
  std::atomic<std::uint64_t> count{0};  // StopWord::count that is latched
  std::atomic<std::uint64_t> tick{0};   // Heartbeat::iterations when it was
  std::atomic<std::uint64_t> step{0};   // the first one that feels it
};

/// All words, each in the memory of its writer.
class StopWords {
 public:
  StopWords(StopWord& supervisor, StopWord& io, StopWord& local) noexcept : words_{&supervisor, &io, &local} {}

  StopWord& operator[](std::size_t writer) const noexcept { return *words_[writer]; }

 private:
  std::array<StopWord*, kStopWriters> words_;
};
using StopReceipts = std::array<StopReceipt, kStopWriters>;

/// Asks for a stop; returns the count that its receipt will have at least. May be called by a signal handler.
inline std::uint64_t ask_stop(const StopWords& words, StopWriter writer,
                              const std::atomic<std::uint64_t>& iterations) noexcept {
  StopWord& word = words[static_cast<std::size_t>(writer)];
  // Before the look at the iterations: the loop sees the word at most two iterations after that one.
  const std::uint64_t count = word.count.fetch_add(1, std::memory_order_seq_cst) + 1;
  word.asked_tick.store(iterations.load(std::memory_order_seq_cst), std::memory_order_relaxed);
  return count;
}

/// The loop's side.
class StopLatch {
 public:
  StopLatch(const StopWords& words, StopReceipts& receipts) noexcept : words_(words), receipts_(receipts) {}

  /// Whether some word asks for a stop that was not latched.
  bool is_asked() noexcept;
  /// What is_asked() saw is in force, from this tick on.
  void confirm(std::uint64_t tick, std::uint64_t step) noexcept;

 private:
  const StopWords& words_;
  StopReceipts& receipts_;
  std::array<std::uint64_t, kStopWriters> seen_{};
};

}  // namespace kinloop::rt
