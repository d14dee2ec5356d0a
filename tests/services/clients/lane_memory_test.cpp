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
constexpr std::uint64_t kRounds = 200'000;

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
    for (std::uint64_t n = 0; n < kRounds; ++n) {
      Slot slot = frame_slot(memory.frames, kSensors, n % 3);  // few slots: they are written over while they are read
      slot.begin(n);
      for (std::size_t i = 0; i < frame_words(kSensors); ++i) slot.put(i, word_of(n, i));
      slot.end(n);
      memory.frames.frames.store(n + 1, std::memory_order_release);
    }
    is_over.store(true);
  });

  std::uint64_t whole = 0;
  std::uint64_t torn = 0;
  while (!is_over.load() || whole == 0) {
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
  writer.join();

  EXPECT_GT(whole, 0U);
  EXPECT_EQ(torn, 0U);
}

TEST(LaneMemory, ACommandThatIsWrittenOverWhileItIsReadDoesNotCount) {
  const auto memory = std::make_unique<CommandMemory>();
  std::atomic<bool> is_over{false};
  std::thread writer([&] {
    Command command;
    command.count = 7;
    for (std::uint64_t n = 0; n < kRounds; ++n) {
      command.sequence = n;
      for (std::size_t i = 0; i < command.count; ++i) command.value[i] = static_cast<double>(n + i);
      write_command(*memory, 4, command);  // always there, whoever reads it
    }
    is_over.store(true);
  });

  std::uint64_t whole = 0;
  std::uint64_t torn = 0;
  Command command;
  while (!is_over.load() || whole == 0) {
    if (!read_command(*memory, 4, command)) continue;
    ++whole;
    for (std::size_t i = 0; i < command.count; ++i) {
      if (command.value[i] != static_cast<double>(command.sequence + i)) ++torn;
    }
  }
  writer.join();

  EXPECT_EQ(torn, 0U);
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
