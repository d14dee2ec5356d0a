// Writes over the memory that io owns while a loop runs on it: whatever stands there, the plant goes on, its values are
// numbers, and a stop of the supervisor is latched.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <thread>

#include "rt/loop/loop.hpp"
#include "tests/rt/loop_parts.hpp"

namespace kinloop::rt {
namespace {

/// Writes over memory as a process does that went mad: single bits, words, stretches, whole values of others.
class Vandal {
 public:
  Vandal(void* memory, std::size_t size, std::uint64_t seed)
      : bytes_(static_cast<char*>(memory)), size_(size), random_(seed) {}

  void strike() {
    constexpr std::array<std::uint64_t, 8> kWords = {
        0, 1, UINT64_MAX, 64, 63, 0x7ff0000000000000, 0x7ff8000000000001, 1U << 31U};
    const std::size_t at = random_() % size_;
    switch (random_() % 4) {
      case 0:
        bytes_[at] = static_cast<char>(bytes_[at] ^ (1 << random_() % 8));
        return;
      case 1:
        return put(at / 8 * 8, kWords[random_() % kWords.size()]);
      case 2:
        return put(at / 8 * 8, random_());
      default:
        for (std::size_t i = 0; i < 16; ++i)
          put((at / 8 + i) * 8, random_() % 3 == 0 ? random_() : kWords[i % kWords.size()]);
    }
  }

 private:
  void put(std::size_t at, std::uint64_t word) {
    if (at + sizeof word <= size_) std::memcpy(bytes_ + at, &word, sizeof word);
  }

  char* bytes_;
  std::size_t size_;
  std::mt19937_64 random_;
};

/// Strikes between the steps of a plant, many a step; what matters most, marks and indices, is struck most.
class StruckInput final : public InputSource {
 public:
  StruckInput(LiveInput& live, PrivateMemory& memory, int strikes_per_step)
      : live_(live),
        memory_(memory),
        all_(&memory.io_part(), sizeof(IoPart), 1),
        requests_(&memory.io_part().requests, 4096, 2),
        blocks_(memory.incoming_block.data(), memory.incoming_block.size_bytes(), 3),
        strikes_per_step_(strikes_per_step) {}

  bool next(const Command* released_by, int level, StepInput& input) noexcept override {
    for (int i = 0; i < strikes_per_step_; ++i) all_.strike();
    requests_.strike();
    blocks_.strike();
    strikes += strikes_per_step_ + 2;
    // So that what was written is looked at at all, and some of it is whole.
    constexpr std::array<double, 5> kValues = {1.0, -24.0, 1e300, std::numeric_limits<double>::infinity(),
                                               std::numeric_limits<double>::quiet_NaN()};
    Command command;
    command.sequence = random_();
    command.count = random_() % 4 == 0 ? static_cast<std::uint32_t>(random_()) : 1U;
    command.give(0, kValues[random_() % kValues.size()]);
    command.seal();
    if (random_() % 3 == 0) memory_.command.write(command);
    IoPart& io = memory_.io_part();
    if (random_() % 4 == 0) io.command.newest_pair.store(static_cast<std::uint32_t>(random_()));
    if (random_() % 4 == 0) io.requests.tail.store(memory_.plant_part().requests.head.load() + random_() % 80);
    // Requests that end, pause or stop are theirs to make, and would end the test.
    for (Request& request : io.requests.slots) {
      if (request.kind == RequestKind::kStop || request.kind == RequestKind::kPause) request.kind = RequestKind::kRearm;
      if (request.kind == RequestKind::kStep) request.number %= 4;
    }
    const bool goes_on = live_.next(released_by, level, input);
    for (std::size_t i = 0; i < input.count; ++i) is_finite = is_finite && std::isfinite(input.command[i]);
    return goes_on;
  }
  CommandInForce in_force() const noexcept override { return live_.in_force(); }
  CommandCounters counters() const noexcept override { return live_.counters(); }
  void rearm(std::uint64_t actuators) noexcept override { live_.rearm(actuators); }
  void make_safe() noexcept override { live_.make_safe(); }
  bool is_stopped() const noexcept override { return live_.is_stopped(); }
  bool accepts(std::size_t i, const CommandState& state) const noexcept override { return live_.accepts(i, state); }
  std::span<CommandState> memory() noexcept override { return live_.memory(); }

  std::int64_t strikes = 0;
  bool is_finite = true;

 private:
  LiveInput& live_;
  PrivateMemory& memory_;
  Vandal all_, requests_, blocks_;
  int strikes_per_step_;
  std::mt19937_64 random_{4};
};

void expect_unharmed(int strikes_per_step, std::uint64_t steps) {
  LoopParts rig;
  rig.settings.max_steps = steps;
  rig.settings.fault.kind = FaultKind::kFreeze;
  CommandSettings command;
  command.lower = -24.0;
  command.upper = 24.0;
  LiveInput live({command}, *rig.memory);
  StruckInput input(live, *rig.memory, strikes_per_step);

  const LoopEnd end = Loop(rig.settings, *rig.plant, rig.state, input, rig.clock, *rig.memory).run();

  EXPECT_EQ(end, LoopEnd::kDone);
  EXPECT_TRUE(input.is_finite) << "no command that is no number reaches an actuator";
  EXPECT_TRUE(rig.state.block().allFinite());
  testing::Test::RecordProperty("strikes", std::to_string(input.strikes));
}

TEST(IoMemory, APlantGoesOnWhateverIsWrittenThere) { expect_unharmed(20, 20'000); }

/// 4.7 million.
TEST(IoMemory, DISABLED_APlantGoesOnForMillionsOfCorruptions) { expect_unharmed(45, 100'000); }

TEST(IoMemory, AStopOfTheSupervisorIsLatchedWhateverIsWrittenThere) {
  LoopParts rig;
  rig.settings.max_steps = 2000;
  LiveInput live({CommandSettings{}}, *rig.memory);
  StruckInput input(live, *rig.memory, 20);
  ask_stop(rig.memory->stops, StopWriter::kSupervisor, rig.memory->heartbeat.iterations);

  Loop(rig.settings, *rig.plant, rig.state, input, rig.clock, *rig.memory).run();

  const StopReceipt& receipt = rig.memory->stop_receipts[static_cast<std::size_t>(StopWriter::kSupervisor)];
  EXPECT_EQ(receipt.count.load(), 1U);
  EXPECT_EQ(receipt.tick.load(), 1U);
}

}  // namespace
}  // namespace kinloop::rt
