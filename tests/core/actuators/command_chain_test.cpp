// Tests limits, rate limit, delay and lag of commands against closed forms.
#include "core/actuators/command_chain.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "tests/support/allocation_count.hpp"

namespace kinloop {
namespace {

constexpr double kCommandChainDt_s = 1e-3;

/// Effective commands of commands given by their steps, from rest at zero.
template <class Commands>
std::vector<double> effective_commands(const CommandChainSettings& settings, int steps, Commands commands) {
  const CommandChain chain(settings, kCommandChainDt_s);
  std::vector<double> state(static_cast<std::size_t>(chain.state_size()));
  chain.start(0.0, state);
  std::vector<double> result;
  for (int i = 0; i < steps; ++i) {
    result.push_back(chain.pass(static_cast<std::uint64_t>(i), commands(i), state));
  }
  return result;
}

double one(int /*step*/) { return 1.0; }

TEST(CommandChain, PassesACommandOnAsItIs) {
  const auto all = effective_commands({}, 20, [](int i) { return 0.1 * i; });

  for (int i = 0; i < 20; ++i) EXPECT_EQ(all[static_cast<std::size_t>(i)], 0.1 * i);
}

TEST(CommandChain, KeepsWithinLimits) {
  CommandChainSettings settings;
  settings.lower = -2.0;
  settings.upper = 3.0;

  const auto all = effective_commands(settings, 3, [](int i) { return i == 0 ? 10.0 : -10.0; });

  EXPECT_EQ(all, (std::vector<double>{3.0, -2.0, -2.0}));
}

TEST(CommandChain, ChangesNoFasterThanItsRateAndArrivesExactly) {
  CommandChainSettings settings;
  settings.rate_per_s = 300.0;

  const auto all = effective_commands(settings, 8, [](int i) { return i < 5 ? 1.0 : 0.0; });

  const double expected[] = {0.3, 0.6, 0.9, 1.0, 1.0, 0.7, 0.4, 0.1};
  for (std::size_t i = 0; i < 8; ++i) EXPECT_NEAR(all[i], expected[i], 1e-12);
  EXPECT_EQ(all[4], 1.0);
}

TEST(CommandChain, Delays) {
  CommandChainSettings settings;
  settings.delay_s = 2.5e-3;

  const auto all = effective_commands(settings, 8, one);

  EXPECT_EQ(all, (std::vector<double>{0.0, 0.0, 0.5, 1.0, 1.0, 1.0, 1.0, 1.0}));
}

TEST(CommandChain, LagsAsAFirstOrderSystemDoes) {
  CommandChainSettings settings;
  settings.lag_s = 0.02;

  const auto all = effective_commands(settings, 100, one);

  for (int i = 0; i < 100; ++i) {
    EXPECT_NEAR(all[static_cast<std::size_t>(i)], 1.0 - std::exp(-(i + 1) * kCommandChainDt_s / 0.02), 1e-12);
  }
}

TEST(CommandChain, StartsAtRestWithinItsLimits) {
  CommandChainSettings settings;
  settings.upper = 2.0;
  settings.delay_s = 5e-3;
  settings.lag_s = 0.1;
  const CommandChain chain(settings, kCommandChainDt_s);
  std::vector<double> state(static_cast<std::size_t>(chain.state_size()));

  chain.start(7.0, state);

  for (std::uint64_t i = 0; i < 20; ++i) EXPECT_DOUBLE_EQ(chain.pass(i, 2.0, state), 2.0);
}

TEST(CommandChain, DoesNotAllocate) {
  CommandChainSettings settings;
  settings.delay_s = 0.05;
  const CommandChain chain(settings, kCommandChainDt_s);
  std::vector<double> state(static_cast<std::size_t>(chain.state_size()));
  chain.start(0.0, state);

  const AllocationCount allocations;
  for (std::uint64_t i = 0; i < 100; ++i) chain.pass(i, 1.0, state);

  EXPECT_EQ(allocations.value(), 0);
}

}  // namespace
}  // namespace kinloop
