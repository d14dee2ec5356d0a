// Tests linearisations along a way against the ways of neighbours, and gradients against differences of the cost.
#include "core/analysis/trajectory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/analysis/linearize.hpp"
#include "core/analysis/rollout.hpp"
#include "core/analysis/state_chart.hpp"
#include "tests/support/plants.hpp"

namespace kinloop {
namespace {

using plants::made;
using testing::HasSubstr;

PlantSpec shown_and_pushed(const Model& model, int actuators) {
  PlantSpec spec = plants::pushed(model, 4e-3, actuators);
  spec.levels = {{"auto", "semi_implicit_euler", 1, {}}};
  return spec;
}

std::vector<double> waves(std::size_t rows, std::size_t width) {
  std::vector<double> commands(rows * width);
  for (std::size_t i = 0; i < commands.size(); ++i) commands[i] = 0.8 * std::sin(0.7 * static_cast<double>(i));
  return commands;
}

VectorX outputs_of(Plant& plant, const State& start, const TrajectoryPlan& plan, const std::vector<double>& commands) {
  RolloutPlan rolled;
  rolled.path = RolloutPath::kSingle;
  rolled.input = plan.input;
  rolled.sequences = {commands};
  rolled.steps_per_command = plan.steps_per_command;
  const auto results = rollout(plant, start, rolled);
  EXPECT_TRUE(results && results->front().complete);
  return Eigen::Map<const VectorX>(results->front().outputs.data(),
                                   static_cast<Eigen::Index>(results->front().outputs.size()));
}

/// y after each command, as the matrices foretell it where x0 and the commands change.
VectorX foretold(const Trajectory& way, const VectorX& dx0, const std::vector<double>& du) {
  const Eigen::Index sensors = way.y[0].size();
  VectorX all(sensors * static_cast<Eigen::Index>(way.y.size()));
  VectorX dx = dx0;
  for (std::size_t k = 0; k < way.A.size(); ++k) {
    const Eigen::Index width = way.B[k].cols();
    const Eigen::Map<const VectorX> u(du.data() + k * static_cast<std::size_t>(width), width);
    dx = way.A[k] * dx + way.B[k] * u;
    all.segment(static_cast<Eigen::Index>(k) * sensors, sensors) = way.C[k] * dx + way.D[k] * u;
  }
  return all;
}

class AlongAWay : public testing::TestWithParam<const char*> {};

TEST_P(AlongAWay, MatricesFollowEachOtherWithTurningBodiesAndLoops) {
  const Model model = mechanisms::compiled(mechanisms::config(GetParam()));
  const auto plant = made(model, shown_and_pushed(model, 2));
  const State start = plant->initial_state();
  TrajectoryPlan plan;
  plan.commands = waves(12, plant->actuator_count());
  plan.steps_per_command = 3;
  const auto way = linearize_trajectory(*plant, start, plan);
  ASSERT_TRUE(way) << way.error().what;
  ASSERT_TRUE(way->complete);
  const VectorX y0 = outputs_of(*plant, start, plan, plan.commands);
  for (std::size_t k = 0; k < way->y.size(); ++k) {
    EXPECT_EQ(way->y[k], y0.segment(static_cast<Eigen::Index>(k) * way->y[k].size(), way->y[k].size())) << k;
  }

  // One state after the other, then one command of the first row.
  StateChart chart = StateChart::make(*plant, start).value();
  for (Eigen::Index j = 0; j < chart.size() + 1; ++j) {
    const auto moved = [&](double h) {
      VectorX x = way->x[0];
      std::vector<double> commands = plan.commands;
      if (j < chart.size()) {
        x[j] += h;
      } else {
        commands[0] += h;
      }
      return outputs_of(*plant, chart.place(start, x).value(), plan, commands);
    };
    const auto slope = [&](double h) -> VectorX { return (moved(h) - moved(-h)) / (2.0 * h); };
    const double h = j < chart.size() ? 4e-3 * std::max(1e-2, chart.sizes(start)[j]) : 4e-3;
    const VectorX reference = (64.0 * slope(h / 4) - 20.0 * slope(h / 2) + slope(h)) / 45.0;
    VectorX dx = VectorX::Zero(chart.size());
    std::vector<double> du(plan.commands.size(), 0.0);
    (j < chart.size() ? dx[j] : du[0]) = 1.0;
    EXPECT_LT((foretold(*way, dx, du) - reference).lpNorm<Eigen::Infinity>(),
              2e-7 * (1.0 + reference.lpNorm<Eigen::Infinity>()))
        << GetParam() << " column " << j;
  }
}

INSTANTIATE_TEST_SUITE_P(Mechanisms, AlongAWay,
                         testing::Values("pendulum", "four_bar", "five_bar", "floating_tree", "stewart_platform"),
                         [](const auto& mechanism) { return std::string(mechanism.param); });

TEST(AlongAWay, OneCommandOfOneStepIsTheLinearizationOfTheStep) {
  const Model model = mechanisms::compiled(mechanisms::config("five_bar"));
  const auto plant = made(model, shown_and_pushed(model, 2));
  const State start = plant->initial_state();
  TrajectoryPlan plan;
  plan.commands = {0.5, -0.25};
  const auto way = linearize_trajectory(*plant, start, plan);
  StepInput input = plants::input_of(*plant, 0.5);
  input.command[1] = -0.25;
  const auto step = linearize(*plant, start, input);
  ASSERT_TRUE(way && step);
  EXPECT_EQ(way->states, step->states);
  EXPECT_EQ(way->A[0], step->A);
  EXPECT_EQ(way->B[0], step->B);
  EXPECT_EQ(way->x[1], step->x_next);
  EXPECT_LT((way->C[0] - step->C).lpNorm<Eigen::Infinity>(), 1e-9 * step->C.lpNorm<Eigen::Infinity>());
  EXPECT_EQ(way->D[0], step->D);
}

TEST(CostGradient, IsThatOfTheCostOfRollOuts) {
  const Model model = mechanisms::compiled(mechanisms::config("four_bar"));
  const auto plant = made(model, shown_and_pushed(model, 1));
  const State start = plant->initial_state();
  TrajectoryPlan plan;
  plan.commands = waves(10, 1);
  plan.steps_per_command = 2;
  QuadraticCost cost;
  const std::size_t sensors = plant->sensor_count();
  cost.output_weights.assign(sensors, 0.0);
  cost.output_weights[0] = 2.0;
  cost.output_weights[3] = 1e-3;  // an acceleration: shows the command at once
  cost.output_targets.assign(sensors * 10, 0.1);
  cost.end_weights.assign(sensors, 0.5);
  cost.command_weights = {3e-2};
  cost.command_targets = {0.2};
  const auto way = linearize_trajectory(*plant, start, plan);
  ASSERT_TRUE(way && check_cost(cost, sensors, 1, 10));
  const CostGradient gradient = cost_gradient(*way, plan.commands, cost);

  const auto cost_of = [&](const std::vector<double>& commands) {
    const VectorX y = outputs_of(*plant, start, plan, commands);
    double sum = 0.0;
    for (std::size_t k = 0; k < 10; ++k) {
      for (std::size_t s = 0; s < sensors; ++s) {
        const double missed = y[static_cast<Eigen::Index>(k * sensors + s)] - 0.1;
        sum += 0.5 * (cost.output_weights[s] + (k == 9 ? 0.5 : 0.0)) * missed * missed;
      }
      sum += 0.5 * 3e-2 * (commands[k] - 0.2) * (commands[k] - 0.2);
    }
    return sum;
  };
  EXPECT_NEAR(gradient.cost, cost_of(plan.commands), 1e-12 * gradient.cost);
  for (std::size_t k = 0; k < 10; ++k) {
    const auto slope = [&](double h) {
      std::vector<double> up = plan.commands, down = plan.commands;
      up[k] += h;
      down[k] -= h;
      return (cost_of(up) - cost_of(down)) / (2.0 * h);
    };
    const double reference = (4.0 * slope(5e-3) - slope(1e-2)) / 3.0;
    EXPECT_NEAR(gradient.by_commands[k], reference, 1e-6 * (1e-3 + std::abs(reference))) << k;
  }
}

TEST(AlongAWay, WhatIsNoPlanIsRefusedByName) {
  const Model model = mechanisms::compiled(mechanisms::config("five_bar"));
  const auto plant = made(model, shown_and_pushed(model, 2));
  const State start = plant->initial_state();
  TrajectoryPlan plan;
  plan.commands = {1.0, 2.0, 3.0};
  EXPECT_THAT(linearize_trajectory(*plant, start, plan).error().where, HasSubstr("commands"));
  plan.commands = {1.0, std::numeric_limits<double>::infinity()};
  EXPECT_THAT(linearize_trajectory(*plant, start, plan).error().what, HasSubstr("finite"));
  plan.commands = {1.0, 2.0};
  plan.steps_per_command = 0;
  EXPECT_THAT(linearize_trajectory(*plant, start, plan).error().where, HasSubstr("steps_per_command"));
  plan.steps_per_command = 1;
  plan.independent = {"nobody"};
  EXPECT_FALSE(linearize_trajectory(*plant, start, plan));
  QuadraticCost cost;
  cost.output_targets = {1.0};
  EXPECT_THAT(check_cost(cost, 8, 2, 5).error().where, HasSubstr("output_targets"));
}

TEST(AlongAWay, AStepThatFailsEndsTheListsThere) {
  const Model model = mechanisms::compiled(mechanisms::config("pendulum"));
  const auto plant = made(model, shown_and_pushed(model, 1));
  TrajectoryPlan plan;
  plan.commands = {0.0, 0.0, 1e300, 0.0};
  const auto way = linearize_trajectory(*plant, plant->initial_state(), plan);
  ASSERT_TRUE(way) << way.error().what;
  EXPECT_FALSE(way->complete);
  EXPECT_FALSE(is_done(way->status));
  EXPECT_EQ(way->A.size(), 2U);
  EXPECT_EQ(way->x.size(), 3U);
}

}  // namespace
}  // namespace kinloop
