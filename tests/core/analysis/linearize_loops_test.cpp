// Tests linearisations of mechanisms with closed loops against plain differences and geometry.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string_view>

#include "core/analysis/linearize.hpp"
#include "tests/support/plants.hpp"
#include "tests/support/step_differences.hpp"

namespace kinloop {
namespace {

using mechanisms::compiled;
using plants::input_of;
using plants::made;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

// Loops are closed to 1e-11 by the step and to 1e-13 by the assembly; differences of 2e-3 make 1e-8 of it, and a
// column's smaller entries are allowed some more.
constexpr double kLinearizeLoopsTolerance = 1e-6;

PlantSpec linearize_loops_pushed(const Model& model, const std::string& dynamics, const std::string& integrator) {
  PlantSpec spec = plants::pushed(model, 5e-3);
  spec.levels = {{dynamics, integrator, 1, {}}};
  return spec;
}

Linearization linearize_loops_linearized(Plant& plant, const State& state, double command) {
  Result<Linearization> result = linearize(plant, state, input_of(plant, command));
  if (!result) require(false, (result.error().where + ": " + result.error().what).c_str());
  return std::move(result).value();
}

/// The largest disagreement with plain differences, of coordinates and speeds moved by `move`.
double disagreement(Plant& plant, const State& state, double command, const Linearization& l, double move = 4e-3) {
  StepDifferences differences(plant, state, input_of(plant, command), l, move);
  return row_wise_difference(whole(l), differences.all());
}

TEST(LinearizeLoops, AFourBarHasOneFreedomAndAgreesWithPlainDifferences) {
  const Model model = compiled(mechanisms::four_bar(1.0, 5.0));
  for (const std::string_view method : mechanisms::methods_for(model)) {
    for (const std::string integrator : {"semi_implicit_euler", "rk4", "linearly_implicit"}) {
      const auto plant = made(model, linearize_loops_pushed(model, std::string(method), integrator));
      const State state = plant->initial_state();

      const Linearization l = linearize_loops_linearized(*plant, state, 0.3);

      ASSERT_EQ(l.states.size(), 3U);  // a coordinate, its speed, one lag
      EXPECT_LT(disagreement(*plant, state, 0.3, l), kLinearizeLoopsTolerance) << method << " " << integrator;
    }
  }
}

TEST(LinearizeLoops, AParallelogramIsAPendulum) {
  // Bars of 1 kg and 1 m stay parallel, the coupler only moves in a circle: one dof with a known equation. Gravity
  // along -y, bars hanging at -90 degrees.
  const double angle = -0.5 * std::numbers::pi;
  const Model model = compiled(mechanisms::n_four_bar(1, angle, 0.0));
  const double mass = model.body(1).mass, length = 1.0;
  PlantSpec spec;
  spec.levels = {{"auto", "rk4", 1, {}}};
  const auto plant = made(model, spec);

  const Linearization l = linearize_loops_linearized(*plant, plant->initial_state(), 0.0);

  const double inertia = 2.0 * mass * length * length / 3.0 + mass * length * length;
  const double stiffness = 9.81 * (2.0 * 0.5 + 1.0) * mass * length;
  const double omega2 = stiffness / inertia, t = 1e-3, omega = std::sqrt(omega2);
  ASSERT_EQ(l.A.rows(), 2);
  const double remainder = std::pow(omega * t, 5) / 120.0 * omega2;
  EXPECT_NEAR(l.A(0, 0), std::cos(omega * t), remainder + 1e-9);
  EXPECT_NEAR(l.A(0, 1), std::sin(omega * t) / omega, remainder + 1e-9);
  EXPECT_NEAR(l.A(1, 0), -omega * std::sin(omega * t), remainder + 1e-9);
  EXPECT_NEAR(l.A(1, 1), std::cos(omega * t), remainder + 1e-9);
}

TEST(LinearizeLoops, AFiveBarHasTwoFreedomsAndAgreesWithPlainDifferences) {
  const Model model = compiled(mechanisms::config("five_bar"));
  for (const std::string_view method : mechanisms::methods_for(model)) {
    const auto plant = made(model, linearize_loops_pushed(model, std::string(method), "rk4"));
    State state = plant->initial_state();
    for (int i = 0; i < 50; ++i) ASSERT_TRUE(is_done(plant->step(input_of(*plant, 0.0), state)));

    const Linearization l = linearize_loops_linearized(*plant, state, 1.0);

    EXPECT_EQ(l.states.size(), 4U + 2U);
    EXPECT_LT(disagreement(*plant, state, 1.0, l), kLinearizeLoopsTolerance) << method;
  }
}

TEST(LinearizeLoops, RandomLinkagesAgreeWithPlainDifferences) {
  int looped = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    mechanisms::LinkageOptions options;
    options.tree.joint_forces = options.tree.armature = true;
    options.tree.driven = seed % 2 == 0;
    options.tree.shuffled = true;
    options.loops = 1 + static_cast<int>(seed % 3);
    options.couplings = static_cast<int>(seed % 2);
    options.least_share = 1e-2;
    const Model model = compiled(mechanisms::random_linkage(seed, 6, options));
    const auto plant = made(model, linearize_loops_pushed(model, "auto", "rk4"));
    const State state = plant->initial_state();
    looped += model.has_loops() ? 1 : 0;

    const Result<Linearization> l = linearize(*plant, state, input_of(*plant, 0.1));

    ASSERT_TRUE(l) << "seed " << seed << ": " << l.error().what;
    for (const int i : model.driven_speeds()) EXPECT_LT(index_of(l->states, "u." + model.speed_name(i)), 0);
    EXPECT_LT(l->uncertainty, 1e-8) << "seed " << seed;
    EXPECT_LT(disagreement(*plant, state, 0.1, *l), kLinearizeLoopsTolerance) << "seed " << seed;
  }
  EXPECT_EQ(looped, 20);
}

TEST(LinearizeLoops, TheMachinesOfTheProjectAgreeWithPlainDifferences) {
  for (const char* name : {"slider_crank", "quick_return", "stewart_platform", "excavator", "double_wishbone",
                           "flyball_governor", "bricard"}) {
    const Model model = compiled(mechanisms::config(name));
    PlantSpec spec;
    spec.levels = {{"auto", "rk4", 1, {}}};
    const auto plant = made(model, spec);
    const State state = plant->initial_state();
    // The friction of its seals bends within 20 mm/s.
    const double move = std::string_view(name) == "excavator" ? 1e-3 : 4e-3;

    const Result<Linearization> l = linearize(*plant, state, input_of(*plant, 0.0));

    ASSERT_TRUE(l) << name << ": " << l.error().what;
    EXPECT_LT(disagreement(*plant, state, 0.0, *l, move), kLinearizeLoopsTolerance) << name;
  }
}

TEST(LinearizeLoops, TwoStepsAreTheProductOfTheirMatrices) {
  const Model model = compiled(mechanisms::four_bar(1.0, 5.0));
  const auto plant = made(model, linearize_loops_pushed(model, "auto", "rk4"));
  const State first = plant->initial_state();
  State second = first;
  ASSERT_TRUE(is_done(plant->step(input_of(*plant, 0.3), second)));

  const Linearization l1 = linearize_loops_linearized(*plant, first, 0.3);
  const Linearization l2 = linearize_loops_linearized(*plant, second, 0.3);

  ASSERT_EQ(l1.states, l2.states);
  EXPECT_LT((l1.x_next - l2.x).norm(), 1e-12);
  StepDifferences differences(*plant, first, input_of(*plant, 0.3), l1);
  const auto n = static_cast<Eigen::Index>(l1.states.size());
  EXPECT_LT(row_wise_difference(l2.A * l1.A, differences.all(2).topLeftCorner(n, n)), kLinearizeLoopsTolerance);
}

TEST(LinearizeLoops, ADrivenCrankLeavesNothingToMove) {
  ModelSpec spec = mechanisms::four_bar(1.0, 5.0);
  spec.joints[0].coordinates.resize(1);
  spec.joints[0].coordinates[0].motion = FunctionSpec{};
  spec.joints[0].coordinates[0].motion->polynomial = {1.0, 5.0};
  const Model model = compiled(spec);
  PlantSpec around;
  around.levels = {{"auto", "rk4", 1, {}}};
  const auto plant = made(model, around);

  const Result<Linearization> l = linearize(*plant, plant->initial_state(), input_of(*plant, 0.0));

  ASSERT_TRUE(l);
  EXPECT_EQ(l->A.size(), 0);
}

TEST(LinearizeLoops, ASingularPositionIsAnError) {
  const Model model = compiled(mechanisms::n_four_bar(2, 0.0, 0.0));  // flat: it could fold in several ways
  PlantSpec spec;
  spec.levels = {{"auto", "rk4", 1, {}}};
  const auto plant = made(model, spec);

  const Result<Linearization> l = linearize(*plant, plant->initial_state(), input_of(*plant, 0.0));

  ASSERT_FALSE(l);
  EXPECT_THAT(l.error().what, HasSubstr("singular position"));
}

TEST(LinearizeLoops, ADeadCentreOfOneCoordinateIsNoObstacle) {
  const Model model = compiled(mechanisms::ladder(2, 1, 0.0));
  PlantSpec spec;
  spec.levels = {{"auto", "rk4", 1, {}}};
  const auto plant = made(model, spec);
  const State state = plant->initial_state();

  const Result<Linearization> l = linearize(*plant, state, input_of(*plant, 0.0));

  ASSERT_TRUE(l) << l.error().what;
  EXPECT_LT(disagreement(*plant, state, 0.0, *l), 1e-5);
}

}  // namespace
}  // namespace kinloop
