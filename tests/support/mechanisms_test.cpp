// Tests that the shared mechanisms are what they promise.
#include "tests/support/mechanisms.hpp"

#include <gtest/gtest.h>

#include <set>

#include "core/dynamics/forward_dynamics.hpp"
#include "core/kinematics/forward_kinematics.hpp"

namespace kinloop::mechanisms {
namespace {

constexpr TreeOptions kEverything{
    .joint_forces = true, .armature = true, .driven = true, .springs = true, .bushings = true, .shuffled = true};

TEST(Mechanisms, RandomTreeOfElevenBodiesHasEveryJointType) {
  const Model model = compiled(random_tree(1, 11));

  std::set<JointType> types;
  for (int k = 1; k < model.body_count(); ++k) types.insert(model.body(k).joint);

  EXPECT_EQ(types.size(), joint_kinds().size());
}

TEST(Mechanisms, RandomTreesAreValidWithoutWarningsAndCanBeAccelerated) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Model model = compiled(random_tree(seed, 25, kEverything));
    State state(model);
    Random random(seed);
    Workspace ws(model);
    const auto dynamics = std::move(make_dynamics("rfda", model)).value();

    randomize(model, random, state);
    const StepStatus status = accelerations(model, state, random_loads(model, random), *dynamics, ws);

    EXPECT_TRUE(model.warnings().empty()) << seed;
    EXPECT_EQ(status, StepStatus::kOk) << seed;
    EXPECT_TRUE(ws.vdot.allFinite()) << seed;
    EXPECT_FALSE(model.driven_speeds().empty()) << seed;
  }
}

TEST(Mechanisms, SameSeedMakesTheSameTree) {
  const Model a = compiled(random_tree(7, 15, kEverything));
  const Model b = compiled(random_tree(7, 15, kEverything));

  EXPECT_EQ(a.initial_q(), b.initial_q());
  EXPECT_EQ(a.initial_v(), b.initial_v());
}

TEST(Mechanisms, BushingsOfARandomTreeStartNearlyRelaxed) {
  const Model model = compiled(random_tree(3, 12, {.bushings = true}));
  const State state(model);
  Workspace ws(model);
  update_kinematics(model, state, ws);

  const double energy = spring_energy(model, state.q().data(), ws);

  EXPECT_GT(energy, 0.0);
  EXPECT_LT(energy, 10.0 * static_cast<double>(model.bushings().size()));
}

TEST(Mechanisms, HangingPendulumIsAtRest) {
  ModelSpec spec = pendulum();
  spec.joints[0].initial_q = {0.0};
  const Model model = compiled(spec);
  const State state(model);
  Workspace ws(model);
  const auto dynamics = std::move(make_dynamics("rfda", model)).value();

  const StepStatus status = accelerations(model, state, Loads(model), *dynamics, ws);

  EXPECT_EQ(status, StepStatus::kOk);
  EXPECT_NEAR(ws.vdot[0], 0.0, 1e-14);
  EXPECT_NEAR((ws.motion[1].R * Vec3(Vector3(model.body_frame(1).R * Vector3(0, 0, -0.5)))).z(), -0.5, 1e-15);
}

}  // namespace
}  // namespace kinloop::mechanisms
