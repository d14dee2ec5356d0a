// Tests which changes of the speeds count as more than closing loops should make.
#include "core/integrators/loop_speeds.hpp"

#include <gtest/gtest.h>

#include "core/integrators/constraint_projection.hpp"
#include "tests/support/linkages.hpp"
#include "tests/support/simulation.hpp"

namespace kinloop {
namespace {

class LoopSpeedsTest : public ::testing::Test {
 protected:
  LoopSpeedsTest() : model_(mechanisms::compiled(mechanisms::four_bar(1.0, 5.0))), at_(model_, "rk4", "rcr") {
    EXPECT_EQ(accelerations(model_, at_.state, at_.loads, *at_.dynamics, at_.ws), StepStatus::kOk);
  }

  Model model_;
  Simulation at_;
  LoopSpeeds speeds_{model_};
};

TEST_F(LoopSpeedsTest, HaveJumpedWhereMostOfTheMotionIsLostOrWon) {
  const VectorX& v = at_.state.v();

  EXPECT_FALSE(speeds_.have_jumped(model_, at_.ws, v, v));
  EXPECT_FALSE(speeds_.have_jumped(model_, at_.ws, v, 0.8 * v));
  EXPECT_TRUE(speeds_.have_jumped(model_, at_.ws, v, 0.3 * v));
  EXPECT_TRUE(speeds_.have_jumped(model_, at_.ws, v, 10.0 * v));
  EXPECT_TRUE(speeds_.have_jumped(model_, at_.ws, v, -v));
}

TEST_F(LoopSpeedsTest, AreSmallWhereTheyGiveNoEnergyToSpeakOf) {
  const VectorX little = 1e-4 * at_.state.v();

  EXPECT_FALSE(speeds_.have_jumped(model_, at_.ws, little, -little));
}

TEST_F(LoopSpeedsTest, WouldTurnWhereTheStepIsTooLongForTheAcceleration) {
  const VectorX& v = at_.state.v();
  const VectorX across = 100.0 * v;

  EXPECT_FALSE(speeds_.would_turn(model_, at_.ws, v.data(), across, 0.01));
  EXPECT_TRUE(speeds_.would_turn(model_, at_.ws, v.data(), across, 0.1));
  EXPECT_TRUE(speeds_.may_turn(at_.ws, v.data(), across, 0.1));
}

// From rest forces may give any speed: what counts is what follows from the speeds.
TEST(LookAhead, LetsForcesBeginAMotion) {
  ModelSpec spec = mechanisms::four_bar(1.0, 0.0);
  spec.gravity *= 1e4;
  const Model model = mechanisms::compiled(spec);
  for (const std::string_view name : mechanisms::methods_for(model)) {
    Simulation simulation(model, "rk4", name);

    EXPECT_TRUE(is_done(simulation.step(1e-3))) << name;
  }
}

}  // namespace
}  // namespace kinloop
