// Owns the lane: what lies in the two memory files by which a client commands a plant of its own host and gets its
// frames, and what is said at the unix socket "lane" in the plant's folder to be given them.
//
// The client writes CommandMemory and nobody else does; io writes FrameMemory, which the client can only map for
// reading. Both files are sealed in their size. Whatever stands in the one is copied before it is judged, and counts
// only with its checksum: memory that was written over, or a process killed in the middle of a copy, moves nothing.
// All words are atomic, so that nothing is read twice with different values; no word is a pointer, and every index is
// taken modulo the number of its slots.
//
// The connection at which the files were handed over is the lane's life: it is over when either side closes it. A byte
// on it wakes io, where io says that it sleeps; the client sleeps on FrameMemory::signals (a futex).
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace kinloop::client::lane {

/// Of this very layout; the last byte counts versions.
inline constexpr std::uint64_t kLayout = 0x4b696e4c616e6501;
/// Its name in the plant's folder and among the plant's endpoints ("unix:///folder/lane").
inline constexpr std::string_view kEndpoint = "lane";

inline constexpr std::size_t kMaxValues = 64;  // of a command
inline constexpr std::size_t kMaxSensors = 128;
inline constexpr std::size_t kCommandSlots = 128;
inline constexpr std::size_t kFrameSlots = 1024;
inline constexpr std::size_t kAnswerSlots = 128;

static_assert(std::atomic<std::uint64_t>::is_always_lock_free && std::atomic<std::uint32_t>::is_always_lock_free);

/// What a client says, once; it is answered by a Welcome, with both files where that is kGiven.
struct Hello {
  std::uint64_t layout = kLayout;
  std::uint64_t schema_hash = 0;
  std::uint64_t lease = 0;  // which the lane belongs to
};
enum class Verdict : std::uint64_t {
  kGiven,  // with the descriptors of CommandMemory and FrameMemory, in this order
  kOtherLayout,
  kNoLease,  // there is none of this number and schema
  kTaken,    // the lease has a lane, or there are too many lanes
  kNoMemory
};
struct Welcome {
  std::uint64_t layout = kLayout;
  Verdict verdict = Verdict::kNoMemory;
};

using Word = std::atomic<std::uint64_t>;

/// A multiplication by an odd number keeps every bit that differs, a shift brings the upper ones down.
class Sum {
 public:
  void add(std::uint64_t word) noexcept {
    sum_ = (sum_ ^ word) * kOdd;
    sum_ ^= sum_ >> 32U;
  }
  std::uint64_t value() const noexcept { return sum_; }

 private:
  static constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;
  std::uint64_t sum_ = kOdd;
};

struct Command {
  std::uint64_t sequence = 0;
  std::uint64_t sent_ns = 0;  // a signed number of CLOCK_MONOTONIC
  std::uint64_t rearm = 0;
  std::uint64_t count = 0;  // of values
  std::array<double, kMaxValues> value{};
};

/// sequence, sent_ns, rearm, count, checksum, values.
struct CommandSlot {
  static constexpr std::size_t kHead = 5;
  std::array<Word, kHead + kMaxValues> word;
};

/// Written by the client.
struct CommandMemory {
  alignas(64) std::atomic<std::uint64_t> tail{0};  // how many commands were written: the last is in slot tail - 1
  /// 1 while the client sleeps on FrameMemory::signals. It is a request to be woken; io believes nothing else of it.
  alignas(64) std::atomic<std::uint32_t> sleeps{0};
  std::atomic<std::uint32_t> every{1};  // wakes it at every n-th frame only
  alignas(64) std::array<CommandSlot, kCommandSlots> slots{};
};

/// Written by io; frames and answers follow it.
struct FrameMemory {
  std::uint64_t layout = kLayout;
  std::uint64_t schema_hash = 0;
  std::uint64_t lease = 0;
  std::uint32_t sensors = 0;                          // of every frame
  std::atomic<std::uint32_t> is_over{0};              // io takes nothing more from this lane
  alignas(64) std::atomic<std::uint32_t> sleeps{0};   // io does: who writes a command sends a byte
  alignas(64) std::atomic<std::uint64_t> head{0};     // of commands: those before it were taken
  alignas(64) std::atomic<std::uint32_t> signals{0};  // counts frames and answers, after they are there
  alignas(64) std::atomic<std::uint64_t> frames{0};   // how many were written: the last is in slot frames - 1
  std::atomic<std::uint64_t> answers{0};              // likewise
};
static_assert(sizeof(FrameMemory) % sizeof(Word) == 0);

/// Words of frames, as v1::SensorFrame has them; values follow, then qualities, eight in a word.
namespace frame_word {
inline constexpr std::size_t kSequence = 0, kStep = 1, kTime = 2, kDue = 3, kStart = 4, kCommandSequence = 5,
                             kCommandAge = 6, kStateHash = 7, kFlags = 8, kLevel = 9, kHead = 10;
}  // namespace frame_word

constexpr std::size_t frame_words(std::size_t sensors) noexcept {
  return frame_word::kHead + sensors + (sensors + 7) / 8;
}

/// Words of answers; a text follows, message and field with a zero after each, then the words of a frame.
namespace answer_word {
inline constexpr std::size_t kSequence = 0, kErrorCode = 1, kText = 2, kTextWords = 32, kFrame = kText + kTextWords;
}  // namespace answer_word

/// A slot begins with its mark: 2 n + 2 once the n-th is whole, odd while it is written.
constexpr std::size_t frame_stride(std::size_t sensors) noexcept { return 1 + frame_words(sensors); }
constexpr std::size_t answer_stride(std::size_t sensors) noexcept {
  return 1 + answer_word::kFrame + frame_words(sensors);
}
constexpr std::size_t frame_memory_size(std::size_t sensors) noexcept {
  return sizeof(FrameMemory) +
         sizeof(Word) * (kFrameSlots * frame_stride(sensors) + kAnswerSlots * answer_stride(sensors));
}

/// A slot of a ring that one side writes over without asking, and the other reads as often as it finds time.
class Slot {
 public:
  explicit Slot(Word* mark) noexcept : mark_(mark) {}

  /// By the writer: begins the n-th.
  void begin(std::uint64_t n) noexcept { mark_->store(2 * n + 1, std::memory_order_relaxed); }
  /// Never before the mark of begin(), which it releases.
  void put(std::size_t i, std::uint64_t word) noexcept { mark_[1 + i].store(word, std::memory_order_release); }
  void put(std::size_t i, double number) noexcept { put(i, std::bit_cast<std::uint64_t>(number)); }
  /// All words are there before who finds this mark.
  void end(std::uint64_t n) noexcept { mark_->store(2 * n + 2, std::memory_order_release); }

  /// By a reader: whether the n-th is whole, before its words and, once more, after them.
  bool holds(std::uint64_t n) const noexcept { return mark_->load(std::memory_order_acquire) == 2 * n + 2; }
  /// Never after the mark that is looked at afterwards.
  std::uint64_t word(std::size_t i) const noexcept { return mark_[1 + i].load(std::memory_order_acquire); }
  double number(std::size_t i) const noexcept { return std::bit_cast<double>(word(i)); }

 private:
  Word* mark_;
};

/// Frames and answers of n, wherever n comes from. `sensors` as they were when the memory was found to be of that size.
inline Slot frame_slot(FrameMemory& memory, std::size_t sensors, std::uint64_t n) noexcept {
  Word* const first = reinterpret_cast<Word*>(&memory + 1);  // NOLINT: the slots follow
  return Slot(first + n % kFrameSlots * frame_stride(sensors));
}
inline Slot answer_slot(FrameMemory& memory, std::size_t sensors, std::uint64_t n) noexcept {
  Word* const first =
      reinterpret_cast<Word*>(&memory + 1) + kFrameSlots * frame_stride(sensors);  // NOLINT: they follow
  return Slot(first + n % kAnswerSlots * answer_stride(sensors));
}

/// Of the n-th command; n is in it, so that an old one is not taken for a new one.
inline std::uint64_t checksum_of(const Command& command, std::uint64_t n) noexcept {
  Sum sum;
  for (const std::uint64_t word : {n, command.sequence, command.sent_ns, command.rearm, command.count}) sum.add(word);
  for (std::size_t i = 0; i < command.count && i < kMaxValues; ++i)
    sum.add(std::bit_cast<std::uint64_t>(command.value[i]));
  return sum.value();
}

/// By the client: writes the n-th; it is there once tail says so.
inline void write_command(CommandMemory& memory, std::uint64_t n, const Command& command) noexcept {
  CommandSlot& slot = memory.slots[n % kCommandSlots];
  const std::array<std::uint64_t, CommandSlot::kHead> head = {command.sequence, command.sent_ns, command.rearm,
                                                              command.count, checksum_of(command, n)};
  for (std::size_t i = 0; i < head.size(); ++i) slot.word[i].store(head[i], std::memory_order_relaxed);
  for (std::size_t i = 0; i < command.count && i < kMaxValues; ++i) {
    slot.word[head.size() + i].store(std::bit_cast<std::uint64_t>(command.value[i]), std::memory_order_relaxed);
  }
}

/// By io: copies the n-th; false where its checksum is another, or it cannot have so many values.
inline bool read_command(const CommandMemory& memory, std::uint64_t n, Command& command) noexcept {
  const CommandSlot& slot = memory.slots[n % kCommandSlots];
  const auto word = [&slot](std::size_t i) noexcept { return slot.word[i].load(std::memory_order_relaxed); };
  command.sequence = word(0);
  command.sent_ns = word(1);
  command.rearm = word(2);
  command.count = word(3);
  const std::uint64_t sum = word(4);
  if (command.count > kMaxValues) return false;
  for (std::size_t i = 0; i < command.count; ++i) {
    command.value[i] = std::bit_cast<double>(word(CommandSlot::kHead + i));
  }
  return sum == checksum_of(command, n);
}

}  // namespace kinloop::client::lane
