// Tests when the watchdog trips, on a clock made of numbers.
#include "rt/policies/watchdog.hpp"

#include <gtest/gtest.h>

namespace kinloop::rt {
namespace {

constexpr std::int64_t kTimeout = 50;
constexpr std::int64_t kPeriod = 10;

class FakeCpuTime final : public CpuTime {
 public:
  std::int64_t used_ns() noexcept override { return used; }

  std::int64_t used = 0;
};

TEST(Watchdog, WaitsForTheLoopToStart) {
  Heartbeat heartbeat;
  FakeCpuTime cpu;
  Watchdog watchdog(Mode::kRealTime, kTimeout, kPeriod);

  EXPECT_EQ(watchdog.look(heartbeat, 0, cpu), Health::kNotRunning);
  EXPECT_EQ(watchdog.look(heartbeat, 1000, cpu), Health::kNotRunning);
}

TEST(Watchdog, TripsOnceTheSilenceIsLongerThanTheTimeout) {
  Heartbeat heartbeat;
  FakeCpuTime cpu;
  heartbeat.running = 1;
  Watchdog watchdog(Mode::kRealTime, kTimeout, kPeriod);
  watchdog.look(heartbeat, 100, cpu);
  heartbeat.iterations = 5;
  heartbeat.beat_ns = 103;

  EXPECT_EQ(watchdog.look(heartbeat, 110, cpu), Health::kHealthy);
  EXPECT_EQ(watchdog.look(heartbeat, 153, cpu), Health::kHealthy);
  EXPECT_EQ(watchdog.look(heartbeat, 154, cpu), Health::kTripped);
  EXPECT_EQ(watchdog.silent_ns(), 51);
}

TEST(Watchdog, StaysTrippedWhateverComes) {
  Heartbeat heartbeat;
  FakeCpuTime cpu;
  heartbeat.running = 1;
  Watchdog watchdog(Mode::kRealTime, kTimeout, kPeriod);
  watchdog.look(heartbeat, 0, cpu);
  watchdog.look(heartbeat, 100, cpu);
  heartbeat.iterations = 9;

  EXPECT_EQ(watchdog.look(heartbeat, 101, cpu), Health::kTripped);
}

TEST(Watchdog, IterationsKeepItQuiet) {
  Heartbeat heartbeat;
  FakeCpuTime cpu;
  heartbeat.running = 1;
  Watchdog watchdog(Mode::kRealTime, kTimeout, kPeriod);

  for (int i = 0; i < 100; ++i) {
    heartbeat.iterations = static_cast<std::uint64_t>(i);
    heartbeat.beat_ns = 40 * i;
    EXPECT_EQ(watchdog.look(heartbeat, 40 * i, cpu), Health::kHealthy);
  }
}

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kLook = 10'000'000;
constexpr std::int64_t kBound = 50'000'000;

TEST(Watchdog, WithoutAClockAPlantThatWaitsForAProcessorIsNotGivenUp) {
  for (const Mode mode : {Mode::kFree, Mode::kLockstep}) {
    Heartbeat heartbeat;
    heartbeat.running = 1;
    FakeCpuTime cpu;
    Watchdog watchdog(mode, kBound, kLook);

    for (std::int64_t now = 0; now < 3 * kSecond; now += kLook) {
      cpu.used += kLook / 100;  // others have the rest
      EXPECT_EQ(watchdog.look(heartbeat, now, cpu), Health::kHealthy) << now;
    }
  }
}

TEST(Watchdog, WithoutAClockOneThatSpinsIsGivenUpByItsOwnTime) {
  for (const Mode mode : {Mode::kFree, Mode::kLockstep}) {
    Heartbeat heartbeat;
    heartbeat.running = 1;
    FakeCpuTime cpu;
    Watchdog watchdog(mode, kBound, kLook);
    std::int64_t now = 0;

    while (now < kSecond && watchdog.look(heartbeat, now, cpu) != Health::kTripped) {
      now += kLook;
      cpu.used += kLook;
    }

    EXPECT_GT(now, 2 * kBound);
    EXPECT_LT(now, 2 * kBound + 4 * kLook);
  }
}

TEST(Watchdog, WithoutAClockOneThatIsStoppedIsGivenUpAfterSeconds) {
  for (const Mode mode : {Mode::kFree, Mode::kLockstep}) {
    Heartbeat heartbeat;
    heartbeat.running = 1;
    FakeCpuTime cpu;
    Watchdog watchdog(mode, kBound, kLook);
    std::int64_t now = 0;

    while (now < 10 * kSecond && watchdog.look(heartbeat, now, cpu) != Health::kTripped) now += kLook;

    EXPECT_GT(now, Watchdog::kLongestStandstill_ns);
    EXPECT_LT(now, Watchdog::kLongestStandstill_ns + 4 * kLook);
  }
}

TEST(Watchdog, WithoutAClockAMachineThatStoodStillIsNotThePlantsFault) {
  Heartbeat heartbeat;
  heartbeat.running = 1;
  FakeCpuTime cpu;
  Watchdog watchdog(Mode::kLockstep, kBound, kLook);
  watchdog.look(heartbeat, 0, cpu);

  EXPECT_EQ(watchdog.look(heartbeat, 20 * kSecond, cpu), Health::kHealthy);
  EXPECT_EQ(watchdog.look(heartbeat, 20 * kSecond + kLook, cpu), Health::kHealthy);
}

TEST(Watchdog, AProperEndIsNoTrip) {
  Heartbeat heartbeat;
  FakeCpuTime cpu;
  heartbeat.running = 1;
  Watchdog watchdog(Mode::kRealTime, kTimeout, kPeriod);
  watchdog.look(heartbeat, 0, cpu);
  heartbeat.running = 0;

  EXPECT_EQ(watchdog.look(heartbeat, 1000, cpu), Health::kNotRunning);
}

}  // namespace
}  // namespace kinloop::rt
