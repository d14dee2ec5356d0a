// Tests what faults, overrides and forces from outside make of a plant's signals, and that they live in its state.
#include "core/plant/signal_faults.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "tests/support/allocation_count.hpp"
#include "tests/support/plants.hpp"

namespace kinloop {
namespace {

constexpr double kDt_s = 1e-3;
constexpr double kLongest_s = 0.02;

/// One signal, tick by tick.
struct Signal1 {
  Signal1() : faults(3, kLongest_s, kDt_s, 7), memory(static_cast<std::size_t>(faults.state_size()), 0.0) {}

  bool inject(SignalFault fault, double value = 0.0, std::uint64_t steps = 0, std::uint32_t signal = 1) {
    StepChange change;
    change.kind = ChangeKind::kFault;
    change.target = signal;
    change.fault = fault;
    change.value = value;
    change.steps = steps;
    if (!faults.can_apply(change, step + 1, memory.data())) return false;
    faults.apply(change, step + 1, memory.data());
    return true;
  }
  Reading next(double value) {
    ++step;
    return faults.pass(1, step, step, {value}, memory.data());
  }

  SignalFaults faults;
  std::vector<double> memory;
  std::uint64_t step = 0;
};

TEST(SignalFaults, AHealthySignalPassesUnchanged) {
  Signal1 signal;

  for (int i = 0; i < 100; ++i) EXPECT_EQ(signal.next(0.1 * i).value, 0.1 * i);
}

TEST(SignalFaults, OffHasNoValue) {
  Signal1 signal;
  signal.inject(SignalFault::kOff);

  const Reading reading = signal.next(5.0);

  EXPECT_TRUE(reading.invalid);
  EXPECT_EQ(reading.value, 0.0);
}

TEST(SignalFaults, StuckStaysAtItsFirstValueForItsTime) {
  Signal1 signal;
  signal.next(1.0);
  signal.inject(SignalFault::kStuck, 0.0, 3);

  EXPECT_EQ(signal.next(2.0).value, 2.0);
  EXPECT_EQ(signal.next(3.0).value, 2.0);
  EXPECT_EQ(signal.next(4.0).value, 2.0);
  EXPECT_EQ(signal.next(5.0).value, 5.0);
}

TEST(SignalFaults, BiasDriftAndWrongSignAreWhatTheySay) {
  Signal1 signal;
  signal.inject(SignalFault::kBias, 0.5);
  EXPECT_EQ(signal.next(1.0).value, 1.5);

  signal.inject(SignalFault::kWrongSign);
  EXPECT_EQ(signal.next(1.0).value, -1.0);

  signal.inject(SignalFault::kDrift, 2.0);
  EXPECT_EQ(signal.next(1.0).value, 1.0);
  for (int i = 1; i <= 500; ++i) EXPECT_NEAR(signal.next(1.0).value, 1.0 + 2.0 * i * kDt_s, 1e-12);
}

TEST(SignalFaults, NoiseHasItsDeviationAndNoMean) {
  Signal1 signal;
  signal.inject(SignalFault::kNoise, 0.25);
  constexpr int kCount = 20'000;
  double sum = 0.0;
  double squares = 0.0;
  for (int i = 0; i < kCount; ++i) {
    const double noise = signal.next(3.0).value - 3.0;
    sum += noise;
    squares += noise * noise;
  }

  EXPECT_NEAR(sum / kCount, 0.0, 5.0 * 0.25 / std::sqrt(kCount));
  EXPECT_NEAR(std::sqrt(squares / kCount), 0.25, 0.25 * 5.0 / std::sqrt(2.0 * kCount));
}

TEST(SignalFaults, DelayShowsWhatWasThatLongAgo) {
  Signal1 signal;
  signal.inject(SignalFault::kDelay, 0.005);

  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(signal.next(i).value, std::max(0, i - 5)) << "tick " << i;
  }
}

TEST(SignalFaults, DropLosesItsShareAndHoldsTheLastGoodValue) {
  Signal1 signal;
  signal.next(0.0);
  signal.inject(SignalFault::kDrop, 0.3);
  int lost = 0;
  double last_good = 1.0;
  constexpr int kCount = 10'000;
  for (int i = 1; i <= kCount; ++i) {
    const Reading reading = signal.next(i);
    if (reading.lost) {
      ++lost;
      EXPECT_EQ(reading.value, last_good);
    } else {
      EXPECT_EQ(reading.value, i);
      last_good = i;
    }
  }

  EXPECT_NEAR(lost / static_cast<double>(kCount), 0.3, 5.0 * std::sqrt(0.3 * 0.7 / kCount));
}

TEST(SignalFaults, ThereIsRoomForAFewDelaysUpToTheLongest) {
  Signal1 signal;

  EXPECT_FALSE(signal.inject(SignalFault::kDelay, 2.0 * kLongest_s));
  EXPECT_TRUE(signal.inject(SignalFault::kDelay, kLongest_s, 0, 0));
  EXPECT_TRUE(signal.inject(SignalFault::kDelay, kLongest_s, 10, 1));
  EXPECT_FALSE(signal.inject(SignalFault::kDelay, kLongest_s, 0, 2)) << "both are in use";
  signal.step += 20;
  EXPECT_TRUE(signal.inject(SignalFault::kDelay, kLongest_s, 0, 2)) << "one is over";
}

TEST(SignalFaults, AnOverrideStandsBeforeTheFaultAndGivesItBack) {
  Signal1 signal;
  signal.inject(SignalFault::kBias, 1.0);
  StepChange change;
  change.kind = ChangeKind::kOverride;
  change.target = 1;
  change.value = 42.0;
  signal.faults.apply(change, signal.step + 1, signal.memory.data());
  EXPECT_EQ(signal.next(2.0).value, 42.0);

  change.off = 1;
  signal.faults.apply(change, signal.step + 1, signal.memory.data());

  EXPECT_EQ(signal.next(2.0).value, 3.0);
}

TEST(SignalFaults, NonsenseIsRefused) {
  Signal1 signal;
  const double nan = std::numeric_limits<double>::quiet_NaN();

  EXPECT_FALSE(signal.inject(SignalFault::kBias, nan));
  EXPECT_FALSE(signal.inject(SignalFault::kDrop, 1.5));
  EXPECT_FALSE(signal.inject(SignalFault::kNoise, -1.0));
  EXPECT_FALSE(signal.inject(static_cast<SignalFault>(99)));
  EXPECT_FALSE(signal.inject(SignalFault::kBias, 1.0, 0, 3)) << "there is no such signal";
}

/// A driven pendulum with every kind of disturbance on its way.
StepInput disturbed(const Plant& plant, std::uint64_t step) {
  StepInput input = plants::input_of(plant, 5.0 * std::sin(0.02 * static_cast<double>(step)));
  const auto add = [&](ChangeKind kind, std::uint32_t target, SignalFault fault, double value, std::uint64_t steps) {
    StepChange& change = input.change[input.changes++];
    change.kind = kind;
    change.target = target;
    change.fault = fault;
    change.value = value;
    change.steps = steps;
    change.wrench = {0.0, 0.0, -0.2, value, 0.0, 0.0, 0.0, 0.1, 0.0};
  };
  if (step == 5) add(ChangeKind::kFault, 0, SignalFault::kDelay, 0.03, 400);
  if (step == 10) add(ChangeKind::kFault, 3, SignalFault::kDelay, 0.02, 0);  // the actuator
  if (step == 15) add(ChangeKind::kFault, 1, SignalFault::kNoise, 0.1, 0);
  if (step == 20) add(ChangeKind::kForce, 1, SignalFault::kNone, 3.0, 150);
  if (step == 25) add(ChangeKind::kOverride, 2, SignalFault::kNone, 1.0, 60);
  return input;
}

TEST(Disturbances, AStateThatIsPutBackGoesOnBitByBit) {
  const Model model = mechanisms::compiled(mechanisms::pendulum());
  const auto plant = plants::made(model, plants::driven_pendulum());
  const auto other = plants::made(model, plants::driven_pendulum());
  State state = plant->initial_state();
  std::vector<Reading> readings(plant->sensor_count());
  for (std::uint64_t i = 1; i <= 50; ++i) {
    ASSERT_TRUE(is_done(plant->step(disturbed(*plant, i), state)));
    plant->sense(state, readings);
  }
  State copy = other->initial_state();
  ASSERT_TRUE(other->accepts({state.block().data(), static_cast<std::size_t>(state.block().size())}));
  copy.block() = state.block();

  for (std::uint64_t i = 51; i <= 1050; ++i) {
    plant->step(disturbed(*plant, i), state);
    plant->sense(state, readings);
    other->step(disturbed(*plant, i), copy);
    other->sense(copy, readings);
    ASSERT_EQ(std::memcmp(state.block().data(), copy.block().data(),
                          sizeof(double) * static_cast<std::size_t>(state.block().size())),
              0)
        << i;
  }
}

TEST(Disturbances, AForceActsForItsStepsInProportion) {
  const Model model = mechanisms::compiled(mechanisms::pendulum());
  PlantSpec spec;
  spec.levels = {{"auto", "rk4", 1, {}}};
  const auto plant = plants::made(model, spec);
  State pushed = plant->initial_state();
  State free = plant->initial_state();
  StepInput input;
  StepChange& change = input.change[0];
  change.kind = ChangeKind::kForce;
  change.target = 1;
  change.steps = 1;
  change.wrench[7] = 1e-6;  // a moment about y, the axis of the joint, too small to change the rest
  input.changes = 1;

  plant->step(input, pushed);
  plant->step(StepInput{}, free);

  const double gained = pushed.v()[0] - free.v()[0];
  State twice = plant->initial_state();
  input.change[0].wrench[7] = 2e-6;
  plant->step(input, twice);
  EXPECT_GT(std::abs(gained), 0.0);
  EXPECT_NEAR(twice.v()[0] - free.v()[0], 2.0 * gained, 1e-9 * std::abs(gained) + 1e-15);
  EXPECT_TRUE(is_done(plant->step(StepInput{}, pushed))) << "it is over after its step";
}

TEST(Disturbances, AnEmergencyStopGoesBeforeOverridesAndFaults) {
  const Model model = mechanisms::compiled(mechanisms::pendulum());
  const auto plant = plants::made(model, plants::driven_pendulum());
  State stopped = plant->initial_state();
  State plain = plant->initial_state();
  StepInput input = plants::input_of(*plant, 0.0);
  input.stopped = 1;
  input.changes = 1;
  input.change[0].kind = ChangeKind::kOverride;
  input.change[0].target = 3;  // the actuator
  input.change[0].value = 20.0;

  for (int i = 0; i < 50; ++i) {
    plant->step(input, stopped);
    input.changes = 0;
    plant->step(plants::input_of(*plant, 0.0), plain);
  }

  EXPECT_EQ(stopped.v(), plain.v());
  input.stopped = 0;
  for (int i = 0; i < 50; ++i) plant->step(input, stopped);
  for (int i = 0; i < 50; ++i) plant->step(plants::input_of(*plant, 0.0), plain);
  EXPECT_NE(stopped.v(), plain.v()) << "the override is still there";
}

TEST(Disturbances, DoNotAllocate) {
  const Model model = mechanisms::compiled(mechanisms::pendulum());
  const auto plant = plants::made(model, plants::driven_pendulum());
  State state = plant->initial_state();
  std::vector<Reading> readings(plant->sensor_count());
  plant->step(disturbed(*plant, 1), state);

  const AllocationCount allocations;
  for (std::uint64_t i = 2; i <= 500; ++i) {
    plant->step(disturbed(*plant, i), state);
    plant->sense(state, readings);
  }

  EXPECT_EQ(allocations.value(), 0);
}

TEST(Disturbances, DamagedStatesAreNotAccepted) {
  const Model model = mechanisms::compiled(mechanisms::pendulum());
  const auto plant = plants::made(model, plants::driven_pendulum());
  const State good = plant->initial_state();
  const auto accepts = [&](const State& state) {
    return plant->accepts({state.block().data(), static_cast<std::size_t>(state.block().size())});
  };
  ASSERT_TRUE(accepts(good));
  EXPECT_FALSE(plant->accepts({good.block().data(), static_cast<std::size_t>(good.block().size() - 1)}));

  for (const auto& [at, value] : std::vector<std::pair<int, double>>{
           {0, 1e9}, {1, 4.0}, {1, 0.5}, {2, -1.0}, {2, 3.0}, {6, -1.0}, {7, 2.0}, {8, std::nan("")}, {10, 0.5}}) {
    State bad = good;
    bad.block()[at] = value;
    const auto flaw = plant->flaw_in({bad.block().data(), static_cast<std::size_t>(bad.block().size())});
    ASSERT_TRUE(flaw) << "slot " << at << " = " << value;
    EXPECT_EQ(flaw->at, static_cast<std::size_t>(at));
  }
}

TEST(Disturbances, CommandsOnTheirWayThatAreBeyondTheLimitsAreNotAccepted) {
  const Model model = mechanisms::compiled(mechanisms::pendulum());
  const auto plant = plants::made(model, plants::driven_pendulum());
  State bad = plant->initial_state();
  const auto block = [&] { return std::span(bad.block().data(), static_cast<std::size_t>(bad.block().size())); };
  const auto chain_at = static_cast<std::size_t>(bad.block().size() - bad.device_state().size() + 1);
  ASSERT_EQ(plant->name_of_place(chain_at), "memory of actuator 'motor'");

  bad.block()[static_cast<Eigen::Index>(chain_at)] = 24.1;

  ASSERT_TRUE(plant->flaw_in(block()));
  EXPECT_EQ(plant->flaw_in(block())->at, chain_at);
}

/// Whatever numbers a block holds, a plant that accepts it can step from it.
TEST(Disturbances, AcceptedStatesCanBeStepped) {
  const Model model = mechanisms::compiled(mechanisms::pendulum());
  const auto plant = plants::made(model, plants::driven_pendulum());
  const State good = plant->initial_state();
  std::vector<Reading> readings(plant->sensor_count());
  std::uint64_t seed = 1;
  int accepted = 0;
  for (int i = 0; i < 20'000; ++i) {
    State state = good;
    for (int k = 0; k < 3; ++k) {
      seed = seed * 6364136223846793005U + 1442695040888963407U;
      const auto at = static_cast<Eigen::Index>((seed >> 33U) % static_cast<std::uint64_t>(good.block().size()));
      constexpr double kValues[] = {-1.0, 0.0, 1.0, 2.0, 3.0, 7.0, 8.0, 99.0, 1e6, 1e17, -1e300};
      state.block()[at] = kValues[(seed >> 20U) % 11];
    }
    if (!plant->accepts({state.block().data(), static_cast<std::size_t>(state.block().size())})) continue;
    ++accepted;
    plant->step(plants::input_of(*plant, 1.0), state);
    plant->sense(state, readings);
  }
  EXPECT_GT(accepted, 1000);
}

}  // namespace
}  // namespace kinloop
