// Tests stiff mechanisms that a seed draws: every integrator keeps their energy, or is warned of before it runs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "core/forces/loads.hpp"
#include "core/integrators/step_limits.hpp"
#include "tests/support/energy_of.hpp"
#include "tests/support/stiff_mechanism.hpp"

namespace kinloop {
namespace {

constexpr int kSweepSteps = 300;

/// What a run gains of kinetic energy and height together, beyond what elements hold at the start, as a share of the
/// largest kinetic energy; above 1 where it fails. Nothing in these mechanisms gives energy, so that any gain is the
/// integrator's. What elements store does not count: a stop that is met within a step is always entered a little.
double gain_of(const Model& model, std::string_view method, double dt_s) {
  Simulation simulation(model, method, "auto");
  const auto outside_the_elements = [&](const Energy& all) {
    return all.total_J() - spring_energy(model, simulation.state.q().data(), simulation.ws);
  };
  const Energy start = energies_of(simulation);
  const double start_J = start.total_J();
  double fastest_J = start.kinetic_J;
  double gain_J = 0.0;
  for (int i = 0; i < kSweepSteps; ++i) {
    if (!is_done(simulation.step(dt_s))) return 1e300;
    const Energy now = energies_of(simulation);
    fastest_J = std::max(fastest_J, now.kinetic_J);
    gain_J = std::max(gain_J, outside_the_elements(now) - start_J);
  }
  return gain_J / std::max(fastest_J, 1e-12);
}

/// An unstable method makes nearly all the kinetic energy there is. Methods of low order give and take a share within
/// each swing.
constexpr double kMaxGain = 0.5;

void expect_stable_or_warned(std::uint64_t seed, const mechanisms::StiffOptions& options, double dt_s) {
  const Model model = mechanisms::compiled(mechanisms::stiff_mechanism(seed, options));
  const FastestMotion fastest = fastest_at_start(model);
  ASSERT_TRUE(fastest.regular) << seed;
  for (const IntegratorKind& kind : integrator_kinds()) {
    if (!step_warnings(model, fastest, dt_s, kind.name).empty()) continue;
    EXPECT_LT(gain_of(model, kind.name, dt_s), kMaxGain) << kind.name << ", seed " << seed << ", " << dt_s << " s";
  }
  for (const std::string_view preferred : {"rk4", "semi_implicit_euler"}) {
    const IntegratorChoice choice = choose_integrator(model, fastest, dt_s, preferred);
    if (choice.name == "linearly_implicit") continue;  // what is stiffer than that is warned of
    EXPECT_TRUE(step_warnings(model, fastest, dt_s, choice.name).empty()) << choice.name << ", seed " << seed;
  }
}

constexpr double kSweepDt_s[] = {1e-4, 3e-4, 1e-3, 3e-3, 1e-2};

TEST(StiffSweep, TreesAreStableOrWarnedOf) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) expect_stable_or_warned(seed, {}, kSweepDt_s[seed % 5]);
}

TEST(StiffSweep, TreesWithElementsBetweenNeighboursAreStableOrWarnedOf) {
  for (std::uint64_t seed = 1001; seed <= 1200; ++seed) {
    expect_stable_or_warned(seed, {.far_elements = false}, kSweepDt_s[seed % 5]);
  }
}

TEST(StiffSweep, LinkagesAreStableOrWarnedOf) {
  for (std::uint64_t seed = 2001; seed <= 2100; ++seed) {
    expect_stable_or_warned(seed, {.loops = true}, kSweepDt_s[seed % 5]);
  }
}

TEST(StiffSweep, WhatTouchesAFloorIsStableOrWarnedOf) {
  for (std::uint64_t seed = 3001; seed <= 3200; ++seed) {
    expect_stable_or_warned(seed, {.loops = seed % 3 == 0, .touches = true}, kSweepDt_s[seed % 5]);
  }
}

TEST(StiffSweep, WhatFloatsIsStableOrWarnedOf) {
  for (std::uint64_t seed = 4001; seed <= 4200; ++seed) {
    expect_stable_or_warned(seed, {.loops = seed % 3 == 0, .floats = true, .touches = seed % 2 == 0},
                            kSweepDt_s[seed % 5]);
  }
}

// The sweep judges rates at the start. This linkage turns until its dampers answer 25 times as fast, which ab4 with its
// small limit does not bear: no warning before it runs, so the watch has to see it.
TEST(StiffSweep, WhatGrowsStiffAsItMovesIsCountedWhileItRuns) {
  constexpr double kLinkageStep_s = 3e-3;
  const Model model = mechanisms::compiled(mechanisms::stiff_mechanism(41603, {.loops = true}));
  ASSERT_TRUE(step_warnings(model, fastest_at_start(model), kLinkageStep_s, "ab4").empty());
  Simulation simulation(model, "ab4", "auto");
  double fastest_per_s = 0.0;

  StepStatus status = StepStatus::kOk;
  for (int i = 0; i < kSweepSteps && is_done(status); ++i) {
    status = simulation.step(kLinkageStep_s);
    const FastestMotion now = fastest_motion(model, simulation.state, simulation.ws);
    if (simulation.integrator->coarse_steps().steps == 0) fastest_per_s = std::max(fastest_per_s, now.decay_per_s);
  }

  EXPECT_GT(fastest_per_s, 10.0 * fastest_at_start(model).decay_per_s);
  EXPECT_GT(fastest_per_s * kLinkageStep_s, 0.3);
  EXPECT_FALSE(is_done(status));
  EXPECT_GT(simulation.integrator->coarse_steps().steps, 0);
}

}  // namespace
}  // namespace kinloop
