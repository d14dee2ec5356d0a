// The mechanisms of paper 003, Fig. 8 and App. B.2, with data of our own since the paper gives none, against what their
// geometry and Newton's law say in closed form. docs/theory/pictures/examples.py draws both.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/analysis/reactions.hpp"
#include "core/base/at.hpp"
#include "core/dynamics/planar_form.hpp"
#include "core/integrators/integrator.hpp"
#include "tests/support/linkages.hpp"

namespace kinloop {
namespace {

double coordinate(const Model& model, const State& state, std::string_view joint) {
  return state.q()[model.body(model.find_joint(joint)).q];
}

/// The lever swings by asin(crank / height) to both sides, and the crank turns by a half turn and twice that angle
/// during the slow stroke, whatever its speed.
TEST(Paper003Examples, TheQuickReturnIsSlowOneWayAndQuickTheOther) {
  const Model model = mechanisms::compiled(mechanisms::config("quick_return"));
  ASSERT_TRUE(takes_planar_form("rcr", model));
  State state(model);
  Workspace ws(model);
  const auto dynamics = make_dynamics("rcr", model).value();
  const auto integrator = make_integrator("rk4", model).value();
  const double swing_rad = std::asin(0.25 / 0.5);
  double lowest_rad = 10.0;
  double highest_rad = -10.0;
  double crank_at_highest_rad = 0.0;
  double crank_at_lowest_rad = 0.0;

  const auto crank = [&] { return coordinate(model, state, "J1") + coordinate(model, state, "J3"); };
  const double start_rad = crank();
  for (int step = 0; step < 20000 && crank() < start_rad + 2.0 * std::numbers::pi; ++step) {
    const double lever_rad = coordinate(model, state, "J1");
    if (lever_rad > highest_rad) {
      highest_rad = lever_rad;
      crank_at_highest_rad = crank();
    }
    if (lever_rad < lowest_rad) {
      lowest_rad = lever_rad;
      crank_at_lowest_rad = crank();
    }
    ASSERT_EQ(integrator->step(model, Loads(model), 1e-4, *dynamics, state, ws), StepStatus::kOk);
  }

  ASSERT_GE(crank(), start_rad + 2.0 * std::numbers::pi) << "a whole turn";
  constexpr double kOneStep_rad = 2e-3;  // of the crank: at an extreme the lever differs by the square of it
  EXPECT_NEAR(highest_rad, std::numbers::pi / 2 + swing_rad, 1e-5);
  EXPECT_NEAR(lowest_rad, std::numbers::pi / 2 - swing_rad, 1e-5);
  EXPECT_NEAR(crank_at_lowest_rad - crank_at_highest_rad, std::numbers::pi - 2.0 * swing_rad, kOneStep_rad);
}

/// The follower's height is the profile above the bearing, so that its acceleration and the force of the edge are
/// known.
TEST(Paper003Examples, TheCamCarriesWhatNewtonsLawAsksForThroughOneTurn) {
  const Model model = mechanisms::compiled(mechanisms::config("cam_follower"));
  ASSERT_TRUE(takes_planar_form("rcr", model));
  State state(model);
  Workspace ws(model);
  const auto dynamics = make_dynamics("rcr", model).value();
  const auto integrator = make_integrator("rk4", model).value();
  const double w = 2.0 * std::numbers::pi;
  const int edge = model.find_joint("edge");

  for (int step = 0; step < 1000; ++step) {
    ASSERT_EQ(accelerations(model, state, Loads(model), *dynamics, ws), StepStatus::kOk);
    const double force_N = find_reactions(model, ws).joints[at(edge)].wrench.linear.y();
    const double a = std::numbers::pi / 2 - w * state.time_s();
    const double height = 0.5 + 0.12 * std::cos(a) + 0.03 * std::cos(2 * a) + 0.02 * std::sin(2 * a);
    const double slope = -0.12 * std::sin(a) - 0.06 * std::sin(2 * a) + 0.04 * std::cos(2 * a);
    const double bend = -0.12 * std::cos(a) - 0.12 * std::cos(2 * a) - 0.08 * std::sin(2 * a);
    const double rate = -w * slope;
    const double spring_N = 400.0 * (1.0 - (2.0 - height - 0.8)) + 5.0 * rate;

    EXPECT_NEAR(force_N, 1.0 * (w * w * bend + 9.81) + spring_N, 1e-6) << state.time_s();

    ASSERT_EQ(integrator->step(model, Loads(model), 1e-3, *dynamics, state, ws), StepStatus::kOk);
  }
}

}  // namespace
}  // namespace kinloop
