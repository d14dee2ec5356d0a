// Tests what actuators get when commands are late, missing or nonsense.
#include "rt/policies/command_policy.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string_view>
#include <vector>

#include "tests/support/allocation_count.hpp"

namespace kinloop::rt {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Of a controller that has never sent one before.
Command command(std::vector<double> values, std::uint64_t rearm = 0) {
  static std::uint32_t epoch = 0;
  Command result;
  result.epoch = ++epoch;
  result.count = static_cast<std::uint32_t>(values.size());
  result.rearm = rearm;
  for (std::size_t i = 0; i < values.size(); ++i) result.give(i, values[i]);
  return result;
}

/// One actuator, tick by tick.
struct Actuator {
  explicit Actuator(const CommandSettings& settings) : policy({settings}) {}

  double tick() { return resolved(nullptr); }
  double tick(double value, std::uint64_t rearm = 0) {
    const Command fresh = command({value}, rearm);
    return resolved(&fresh);
  }
  double resolved(const Command* fresh) {
    double value = kNan;
    policy.resolve(fresh, {&value, 1});
    return value;
  }

  CommandPolicy policy;
};

CommandSettings stale_after(std::int64_t ticks, StaleKind kind) {
  CommandSettings settings;
  settings.max_age_ticks = ticks;
  settings.when_stale = kind;
  settings.ramp_per_tick = 2.0;
  return settings;
}

TEST(CommandPolicy, StartsWithTheInitialValueAndDoesNotAgeIt) {
  CommandSettings settings = stale_after(2, StaleKind::kZero);
  settings.initial = 3.0;
  Actuator actuator(settings);

  for (int i = 0; i < 10; ++i) EXPECT_EQ(actuator.tick(), 3.0);
  EXPECT_FALSE(actuator.policy.is_stale());
}

TEST(CommandPolicy, KeepsACommandForItsAgeThenMakesTheActuatorSafe) {
  const struct {
    StaleKind kind;
    std::vector<double> after;  // two ticks of age, then safe
  } cases[] = {{StaleKind::kHold, {5, 5, 5, 5, 5, 5}},
               {StaleKind::kZero, {5, 5, 0, 0, 0, 0}},
               {StaleKind::kRamp, {5, 5, 3, 1, 0, 0}},
               {StaleKind::kFreeze, {5, 5, 5, 5, 5, 5}}};
  for (const auto& c : cases) {
    Actuator actuator(stale_after(2, c.kind));
    ASSERT_EQ(actuator.tick(5.0), 5.0);

    for (std::size_t i = 0; i < c.after.size(); ++i) {
      EXPECT_EQ(actuator.tick(), c.after[i]) << name_of(c.kind) << " " << i;
      EXPECT_EQ(actuator.policy.is_stale(), i >= 2) << name_of(c.kind) << " " << i;
      EXPECT_EQ(actuator.policy.freezes(), i >= 2 && c.kind == StaleKind::kFreeze) << name_of(c.kind) << " " << i;
    }
    EXPECT_EQ(actuator.policy.counters().made_safe, 1);
  }
}

TEST(CommandPolicy, RampsNegativeValuesUpToZeroAndNotBeyond) {
  Actuator actuator(stale_after(1, StaleKind::kRamp));
  actuator.tick(-3.0);
  actuator.tick();

  EXPECT_EQ(actuator.tick(), -1.0);
  EXPECT_EQ(actuator.tick(), 0.0);
  EXPECT_EQ(actuator.tick(), 0.0);
}

TEST(CommandPolicy, MovesASafeActuatorOnlyWhenItIsRearmed) {
  Actuator actuator(stale_after(1, StaleKind::kZero));
  actuator.tick(5.0);
  actuator.tick();
  ASSERT_EQ(actuator.tick(), 0.0);

  EXPECT_EQ(actuator.tick(6.0), 0.0);
  EXPECT_EQ(actuator.tick(kNan, 1), 0.0);
  EXPECT_EQ(actuator.tick(7.0, 2), 0.0);  // another actuator's bit
  EXPECT_EQ(actuator.tick(7.0, 1), 7.0);
  EXPECT_EQ(actuator.tick(8.0), 8.0);

  EXPECT_EQ(actuator.policy.counters().ignored_while_safe, 2);
  EXPECT_EQ(actuator.policy.counters().rearmed, 1);
}

TEST(CommandPolicy, RefusesNonsenseAndLetsTheLastCommandAge) {
  CommandSettings settings = stale_after(3, StaleKind::kZero);
  settings.lower = -10.0;
  settings.upper = 10.0;
  Actuator actuator(settings);
  actuator.tick(5.0);

  EXPECT_EQ(actuator.tick(kNan), 5.0);
  EXPECT_EQ(actuator.tick(kInfinity), 5.0);
  EXPECT_EQ(actuator.tick(10.5), 5.0);
  EXPECT_EQ(actuator.tick(-kInfinity), 0.0);

  EXPECT_EQ(actuator.policy.counters().not_finite, 3);
  EXPECT_EQ(actuator.policy.counters().out_of_range, 1);
  EXPECT_EQ(actuator.policy.counters().accepted, 1);
}

TEST(CommandPolicy, RefusesACommandForAnotherNumberOfActuators) {
  CommandPolicy policy({CommandSettings{}, CommandSettings{}});
  std::array<double, 2> values{};
  const Command short_one = command({1.0});
  const Command long_one = command({1.0, 2.0, 3.0});
  Command wild = command({1.0, 2.0});
  wild.count = 4000000000U;

  for (const Command* c : {&short_one, &long_one, static_cast<const Command*>(&wild)}) policy.resolve(c, values);

  EXPECT_EQ(values, (std::array<double, 2>{0.0, 0.0}));
  EXPECT_EQ(policy.counters().of_other_count, 3);
}

TEST(CommandPolicy, JudgesEachActuatorByItself) {
  CommandPolicy policy({stale_after(1, StaleKind::kZero), CommandSettings{}});
  std::array<double, 2> values{};
  const Command both = command({1.0, 2.0});
  const Command second = command({kNan, 3.0});
  policy.resolve(&both, values);

  policy.resolve(&second, values);
  policy.resolve(&second, values);

  EXPECT_EQ(values, (std::array<double, 2>{0.0, 3.0}));
  EXPECT_TRUE(policy.is_stale());
}

TEST(CommandPolicy, GoesOnFromStatesThatWereKept) {
  const std::vector<CommandSettings> settings = {stale_after(4, StaleKind::kRamp)};
  CommandPolicy first(settings), second(settings);
  std::array<double, 1> a{}, b{};
  const Command fresh = command({9.0});
  first.resolve(&fresh, a);
  for (int i = 0; i < 6; ++i) first.resolve(nullptr, a);

  std::copy(first.states().begin(), first.states().end(), second.states().begin());
  for (int i = 0; i < 5; ++i) {
    first.resolve(nullptr, a);
    second.resolve(nullptr, b);
    EXPECT_EQ(a, b);
  }
}

TEST(CommandPolicy, DoesNotAllocate) {
  CommandPolicy policy({stale_after(1, StaleKind::kRamp), CommandSettings{}});
  std::array<double, 2> values{};
  const Command fresh = command({1.0, 2.0});

  const AllocationCount allocations;
  for (int i = 0; i < 100; ++i) policy.resolve(i % 3 == 0 ? &fresh : nullptr, values);

  EXPECT_EQ(allocations.value(), 0);
}

TEST(CommandPolicy, KnowsItsNames) {
  const std::vector<std::string_view> expected{"hold", "zero", "ramp", "freeze"};

  std::vector<std::string_view> names;
  for (const auto& [kind, name] : stale_names()) {
    EXPECT_EQ(name_of(kind), name);
    names.push_back(name);
  }

  EXPECT_EQ(names, expected);
}

}  // namespace
}  // namespace kinloop::rt
