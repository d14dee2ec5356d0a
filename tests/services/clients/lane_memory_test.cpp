// Tests the words of a lane: one thread writes while another reads, and nobody ever sees half of anything.
#include <gtest/gtest.h>
#include <kinloop/client/lane.hpp>

#include <atomic>
#include <cstddef>
#include <memory>
#include <new>
#include <thread>

namespace kinloop::client::lane {
namespace {

constexpr std::size_t kSensors = 5;
constexpr std::uint64_t kWhole = 300'000;  // that a reader is to see, while the other thread writes on

/// As io maps it; zeros.
struct Memory {
  std::unique_ptr<char[], void (*)(char*)> bytes{
      // NOLINT(modernize-avoid-c-arrays): as large as it is told to be
      static_cast<char*>(::operator new (frame_memory_size(kSensors), std::align_val_t{64})),
      [](char* memory) { ::operator delete (memory, std::align_val_t{64}); }};
  FrameMemory& frames;

  Memory() : frames(*new (bytes.get()) FrameMemory()) {
    auto* const words = reinterpret_cast<Word*>(&frames + 1);  // NOLINT: the slots follow
    const std::size_t count = (frame_memory_size(kSensors) - sizeof(FrameMemory)) / sizeof(Word);
    for (std::size_t i = 0; i < count; ++i) new (&words[i]) Word(0);
  }
};

/// Each word tells of which it is.
std::uint64_t word_of(std::uint64_t n, std::size_t i) { return n * 1000 + i; }

TEST(LaneMemory, AReaderOfFramesSeesEachWholeOrNotAtAll) {
  Memory memory;
  std::atomic<bool> is_over{false};
  std::thread writer([&] {
    for (std::uint64_t n = 0; !is_over.load(std::memory_order_relaxed); ++n) {
      Slot slot = frame_slot(memory.frames, kSensors, n % 3);  // few slots: they are written over while they are read
      slot.begin(n);
      for (std::size_t i = 0; i < frame_words(kSensors); ++i) slot.put(i, word_of(n, i));
      slot.end(n);
      memory.frames.frames.store(n + 1, std::memory_order_release);
    }
  });

  std::uint64_t whole = 0;
  std::uint64_t torn = 0;
  while (whole < kWhole) {
    const std::uint64_t count = memory.frames.frames.load(std::memory_order_acquire);
    if (count == 0) continue;
    const std::uint64_t n = count - 1;
    const Slot slot = frame_slot(memory.frames, kSensors, n % 3);
    if (!slot.holds(n)) continue;
    bool is_whole = true;
    for (std::size_t i = 0; i < frame_words(kSensors); ++i) is_whole = slot.word(i) == word_of(n, i) && is_whole;
    if (!slot.holds(n)) continue;
    ++whole;
    torn += is_whole ? 0 : 1;
  }
  is_over.store(true);
  writer.join();

  EXPECT_EQ(torn, 0U);
}

TEST(LaneMemory, ACommandThatIsWrittenOverWhileItIsReadDoesNotCount) {
  const auto memory = std::make_unique<CommandMemory>();
  std::atomic<bool> is_over{false};
  std::thread writer([&] {
    Command command;
    command.count = 7;
    for (std::uint64_t n = 0; !is_over.load(std::memory_order_relaxed); ++n) {
      command.sequence = n;
      for (std::size_t i = 0; i < command.count; ++i) command.value[i] = static_cast<double>(n + i);
      write_command(*memory, 4, command);  // always there, whoever reads it
    }
  });

  std::uint64_t whole = 0;
  std::uint64_t torn = 0;
  Command command;
  while (whole < kWhole) {
    if (!read_command(*memory, 4, command)) continue;
    ++whole;
    for (std::size_t i = 0; i < command.count; ++i) {
      if (command.value[i] != static_cast<double>(command.sequence + i)) ++torn;
    }
  }
  is_over.store(true);
  writer.join();

  EXPECT_EQ(torn, 0U);
}

/// Every place at which the writer can come in between, and be interrupted or killed.
TEST(LaneMemory, AFrameThatIsWrittenOverInBetweenIsNotSeen) {
  const std::size_t words = frame_words(kSensors);
  const auto write = [&](Slot slot, std::uint64_t n, std::size_t operations) {
    if (operations > 0) slot.begin(n);
    for (std::size_t i = 0; i < words && i + 1 < operations; ++i) slot.put(i, word_of(n, i));
    if (operations > words + 1) slot.end(n);
  };
  int seen = 0;
  for (std::size_t before = 0; before <= words + 1; ++before) {  // of the reader's operations
    for (std::size_t operations = 0; operations <= words + 2; ++operations) {
      Memory memory;
      Slot slot = frame_slot(memory.frames, kSensors, 7);
      write(slot, 7, words + 2);
      const auto in_between = [&](std::size_t at) {
        if (at == before) write(slot, 7 + kFrameSlots, operations);
      };

      in_between(0);
      bool is_seen = slot.holds(7);
      bool is_whole = true;
      for (std::size_t i = 0; i < words; ++i) {
        in_between(i + 1);
        is_whole = slot.word(i) == word_of(7, i) && is_whole;
      }
      in_between(words + 1);
      is_seen = slot.holds(7) && is_seen;

      EXPECT_TRUE(is_whole || !is_seen) << before << " " << operations;
      seen += is_seen ? 1 : 0;
    }
  }
  EXPECT_EQ(seen, static_cast<int>(words) + 2) << "where nothing was written in between";
}

TEST(LaneMemory, ACommandOfWhichSomeWordsAreNewDoesNotCount) {
  constexpr std::size_t kValues = 3;
  const auto command_of = [](std::uint64_t n) {
    Command command;
    command.sequence = n;
    command.sent_ns = 10 * n;
    command.rearm = n % 5;
    command.count = kValues;
    for (std::size_t i = 0; i < kValues; ++i) command.value[i] = static_cast<double>(n * 7 + i);
    return command;
  };
  const std::uint64_t old = 3;
  const std::uint64_t later = 3 + kCommandSlots;
  const auto source = std::make_unique<CommandMemory>();
  write_command(*source, later, command_of(later));
  Command read;

  for (std::size_t copied = 0; copied <= CommandSlot::kHead + kValues; ++copied) {
    const auto memory = std::make_unique<CommandMemory>();
    write_command(*memory, old, command_of(old));
    for (std::size_t i = 0; i < copied; ++i) {
      memory->slots[old % kCommandSlots].word[i].store(source->slots[old % kCommandSlots].word[i].load());
    }
    EXPECT_EQ(read_command(*memory, old, read), copied == 0) << copied;
    EXPECT_EQ(read_command(*memory, later, read), copied == CommandSlot::kHead + kValues) << copied;
  }
}

TEST(LaneMemory, WhatWasWrittenForAnotherPlaceOrHasTooManyValuesDoesNotCount) {
  const auto memory = std::make_unique<CommandMemory>();
  Command command;
  command.count = 2;
  Command read;
  write_command(*memory, 3, command);

  EXPECT_TRUE(read_command(*memory, 3, read));
  EXPECT_FALSE(read_command(*memory, 3 + kCommandSlots, read)) << "an old one in the slot of a new one";
  command.count = kMaxValues + 1;
  write_command(*memory, 3, command);
  EXPECT_FALSE(read_command(*memory, 3, read));
  EXPECT_FALSE(read_command(*memory, 5, read)) << "nothing was ever written there";
}

/// kinloop/lane.py of the Python client has these numbers.
TEST(LaneMemory, LiesWhereClientsInOtherLanguagesLookForIt) {
  EXPECT_EQ(offsetof(CommandMemory, tail), 0U);
  EXPECT_EQ(offsetof(CommandMemory, sleeps), 64U);
  EXPECT_EQ(offsetof(CommandMemory, every), 68U);
  EXPECT_EQ(offsetof(CommandMemory, slots), 128U);
  EXPECT_EQ(sizeof(CommandSlot), 8U * (5 + 64));
  EXPECT_EQ(sizeof(CommandMemory), 128 + 128 * sizeof(CommandSlot));
  EXPECT_EQ(offsetof(FrameMemory, sensors), 24U);
  EXPECT_EQ(offsetof(FrameMemory, is_over), 28U);
  EXPECT_EQ(offsetof(FrameMemory, head), 128U);
  EXPECT_EQ(offsetof(FrameMemory, signals), 192U);
  EXPECT_EQ(offsetof(FrameMemory, frames), 256U);
  EXPECT_EQ(offsetof(FrameMemory, answers), 264U);
  EXPECT_EQ(sizeof(FrameMemory), 320U);
  EXPECT_EQ(kLayout, 0x4b696e4c616e6501U);
}

}  // namespace
}  // namespace kinloop::client::lane
