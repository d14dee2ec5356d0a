// Tests passages through singular positions: the motion goes on as it came, and energy holds.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <numbers>
#include <tuple>
#include <vector>

#include "core/dynamics/energy.hpp"
#include "core/kinematics/forward_kinematics.hpp"
#include "tests/support/energy_of.hpp"
#include "tests/support/linkages.hpp"
#include "tests/support/simulation.hpp"

namespace kinloop {
namespace {

constexpr double kPi = std::numbers::pi;

/// The angle between bars and couplers is the same everywhere on the branch: q alternates in sign only.
double distance_from_branch(const State& state) {
  double largest = 0.0;
  for (int i = 1; i < state.q().size(); ++i) {
    const double sign = i % 2 == 0 ? 1.0 : -1.0;
    largest = std::max(largest, std::abs(state.q()[i] - sign * state.q()[0]));
  }
  return largest;
}

bool is_finite(const State& state) { return state.q().allFinite() && state.v().allFinite(); }

struct Passage {
  int windows;
  std::string_view integrator;
  double tolerance;  // of the branch, and of the energy relative to the largest change of the potential
};
void PrintTo(const Passage& passage, std::ostream* out) { *out << passage.windows << ' ' << passage.integrator; }

class FlatPassage : public ::testing::TestWithParam<Passage> {};

TEST_P(FlatPassage, StaysOnTheParallelogramBranch) {
  const Passage& passage = GetParam();
  // Upright and falling over: flat at pi, round below and flat again, three times in 1.5 s.
  const Model model = mechanisms::compiled(mechanisms::n_four_bar(passage.windows, 0.5 * kPi, -1.0));
  for (const std::string_view name : mechanisms::methods_for(model)) {
    Simulation simulation(model, passage.integrator, name);
    const double before = energy_of(simulation);
    const double weight_J = 9.81 * (2 * passage.windows + 1);

    double off_branch = 0.0;
    double energy_change = 0.0;
    int flat = 0;
    for (int i = 0; i < 1500; ++i) {
      const double sine = std::sin(simulation.state.q()[0]);
      const StepStatus status = simulation.step(1e-3);
      ASSERT_TRUE(is_done(status)) << name << ' ' << describe(status) << " at " << simulation.state.time_s();
      ASSERT_TRUE(is_finite(simulation.state)) << name;
      if (sine * std::sin(simulation.state.q()[0]) < 0.0) ++flat;
      off_branch = std::max(off_branch, distance_from_branch(simulation.state));
      energy_change = std::max(energy_change, std::abs(energy_of(simulation) - before));
    }

    EXPECT_GE(flat, 2) << name;
    EXPECT_LT(off_branch, 1e-6) << name;
    EXPECT_LT(energy_change, passage.tolerance * weight_J) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(All, FlatPassage,
                         ::testing::Values(Passage{1, "rk4", 1e-7}, Passage{2, "rk4", 1e-7}, Passage{5, "rk4", 1e-7},
                                           Passage{1, "semi_implicit_euler", 2e-2},
                                           Passage{2, "semi_implicit_euler", 2e-2},
                                           Passage{5, "semi_implicit_euler", 2e-2}, Passage{1, "ab4", 1e-6},
                                           Passage{2, "ab4", 1e-6}, Passage{5, "ab4", 1e-6}),
                         [](const auto& of) {
                           return std::to_string(of.param.windows) + "_" + std::string(of.param.integrator);
                         });

// The table of docs/formulations.md: passages that land within 1e-7 rad of flat make up nearly all of it, which is
// chance. Half a minute: --gtest_also_run_disabled_tests --gtest_filter='*TwentySeconds*', or ./dev test --full.
TEST(FlatPassages, DISABLED_OfTwentySecondsKeepTheEnergy) {
  struct Row {
    int windows;
    double dt_s;
    std::vector<std::string_view> names;
  };
  const std::vector<std::string_view> all = {"rcr", "semi_recursive_2", "partition"};
  for (const Row& row : {Row{5, 1e-3, all}, Row{5, 5e-4, all}, Row{5, 2.5e-4, all}, Row{10, 1e-3, all},
                         Row{10, 5e-4, all}, Row{10, 2.5e-4, all}, Row{40, 1e-3, {"rcr"}}}) {
    const Model model = mechanisms::compiled(mechanisms::n_four_bar(row.windows, 0.5 * kPi, -1.0));
    const double weight_J = 9.81 * (2 * row.windows + 1);
    for (const std::string_view name : row.names) {
      Simulation simulation(model, "rk4", name);
      const double before = energy_of(simulation);
      double energy_change = 0.0;
      for (int i = 0; i < std::lround(20.0 / row.dt_s); ++i) {
        const StepStatus status = simulation.step(row.dt_s);
        ASSERT_TRUE(is_done(status)) << name << ' ' << describe(status) << " at " << simulation.state.time_s();
        energy_change = std::max(energy_change, std::abs(energy_of(simulation) - before));
      }

      std::printf("N %d, %g ms, %s: %.1e J\n", row.windows, 1e3 * row.dt_s, std::string(name).c_str(), energy_change);
      EXPECT_LT(energy_change, 1e-4 * weight_J) << row.windows << ' ' << row.dt_s << ' ' << name;
      EXPECT_LT(distance_from_branch(simulation.state), 1e-6) << row.windows << ' ' << row.dt_s << ' ' << name;
    }
  }
}

class FlatStart : public ::testing::TestWithParam<std::tuple<int, double>> {};

TEST_P(FlatStart, GoesOnAsItMoves) {
  const auto [windows, angle_rad] = GetParam();
  const Model model = mechanisms::compiled(mechanisms::n_four_bar(windows, angle_rad, -3.0));
  for (const std::string_view name : mechanisms::methods_for(model)) {
    for (const std::string_view integrator : {"rk4", "semi_implicit_euler", "ab4"}) {
      Simulation simulation(model, integrator, name);

      for (int i = 0; i < 200; ++i) {
        const StepStatus status = simulation.step(1e-3);
        ASSERT_TRUE(is_done(status)) << name << ' ' << integrator << ' ' << describe(status) << " step " << i;
        ASSERT_TRUE(is_finite(simulation.state)) << name << ' ' << integrator;
      }

      EXPECT_LT(distance_from_branch(simulation.state), 1e-6) << name << ' ' << integrator;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, FlatStart, ::testing::Combine(::testing::Values(1, 2, 5), ::testing::Values(0.0, kPi)));

// At rest in the flat position many motions are possible; which one is taken is open, but the loops stay closed and no
// energy comes from nowhere.
TEST(FlatStartAtRest, FallsOnSomeBranch) {
  for (const int windows : {1, 2, 5}) {
    const Model model = mechanisms::compiled(mechanisms::n_four_bar(windows, 0.0, 0.0));
    for (const std::string_view name : mechanisms::methods_for(model)) {
      Simulation simulation(model, "rk4", name);
      const double before = energy_of(simulation);

      for (int i = 0; i < 300; ++i) {
        const VectorX saved = simulation.state.block();
        const StepStatus status = simulation.step(1e-3);
        ASSERT_TRUE(is_finite(simulation.state)) << name;
        if (!is_done(status)) {
          EXPECT_EQ(simulation.state.block(), saved) << name;
        }
        ASSERT_TRUE(is_done(status)) << name << ' ' << windows << ' ' << describe(status) << " step " << i;
      }

      EXPECT_LT(simulation.integrator->loops().report().error, 1e-9) << name << ' ' << windows;
      EXPECT_NEAR(energy_of(simulation), before, 1e-3 * 9.81 * (2 * windows + 1)) << name << ' ' << windows;
    }
  }
}

// The crank in line with the coupler: the rocker stands still for a moment, and the columns of the last joints depend
// on each other there.
TEST(DeadCentre, OfACrankRockerIsPassedManyTimes) {
  const Model model = mechanisms::compiled(mechanisms::four_bar(1.0, 10.0));
  for (const std::string_view name : mechanisms::methods_for(model)) {
    Simulation simulation(model, "rk4", name);
    const double before = energy_of(simulation);

    int dead_centres = 0;
    for (int i = 0; i < 3000; ++i) {
      const double sine = std::sin(simulation.state.q()[1]);
      ASSERT_EQ(simulation.step(1e-3), StepStatus::kOk) << name << " at " << simulation.state.time_s();
      if (sine * std::sin(simulation.state.q()[1]) < 0.0) ++dead_centres;
    }

    EXPECT_GE(dead_centres, 4) << name;
    EXPECT_NEAR(energy_of(simulation), before, 1e-5 * before) << name;
  }
}

// The start exactly at the dead centre: crank and coupler on one line.
TEST(DeadCentre, IsAPlaceToStart) {
  const double reach = 2.2 - 0.8;  // crank folded back onto the coupler
  const double cosine = (2.0 * 2.0 + reach * reach - 1.6 * 1.6) / (2.0 * 2.0 * reach);
  const Model model = mechanisms::compiled(mechanisms::four_bar(std::acos(cosine) + kPi, 5.0));
  ASSERT_NEAR(std::abs(std::sin(model.initial_q()[1])), 0.0, 1e-7);
  for (const std::string_view name : mechanisms::methods_for(model)) {
    Simulation simulation(model, "rk4", name);
    const double before = energy_of(simulation);

    ASSERT_EQ(simulation.run(1e-3, 500), StepStatus::kOk) << name;

    EXPECT_NEAR(energy_of(simulation), before, 1e-6 * (1.0 + std::abs(before))) << name;
  }
}

// Angles of neighbours obey cos a + cos b + cos a cos b = 0, so that each swings between +-120 degrees, and the ring
// turns inside out once a period. Its rank is that of the closed positions only: off them one row too many seems
// independent.
TEST(Bricard, TurnsInsideOutOnTheOverconstrainedPath) {
  ModelSpec spec = mechanisms::config("bricard");
  spec.gravity.setZero();
  for (JointSpec& joint : spec.joints) joint.initial_u = {3.0};
  mechanisms::close_velocities(spec);
  const Model model = mechanisms::compiled(spec);
  for (const std::string_view name : mechanisms::methods_for(model)) {
    Simulation simulation(model, "rk4", name);
    const double before = energy_of(simulation);
    VectorX lowest = simulation.state.q();
    VectorX highest = lowest;

    for (int i = 0; i < 12000; ++i) {
      const StepStatus status = simulation.step(1e-3);
      ASSERT_EQ(status, StepStatus::kOk) << name << ' ' << describe(status) << " at " << simulation.state.time_s();
      lowest = lowest.cwiseMin(simulation.state.q());
      highest = highest.cwiseMax(simulation.state.q());
    }

    for (int i = 0; i < model.nv(); ++i) EXPECT_NEAR(highest[i] - lowest[i], 4.0 / 3.0 * kPi, 1e-4) << name;
    EXPECT_NEAR(energy_of(simulation), before, 1e-6 * before) << name;
  }
}

}  // namespace
}  // namespace kinloop
