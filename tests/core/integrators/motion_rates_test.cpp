// Tests the rates by iteration against those by matrices, and that large models are judged.
#include "core/integrators/motion_rates.hpp"

#include <gtest/gtest.h>

#include "core/integrators/step_limits.hpp"
#include "core/kinematics/forward_kinematics.hpp"
#include "core/kinematics/loop_constraints.hpp"
#include "tests/support/stiff_mechanism.hpp"

namespace kinloop {
namespace {

void expect_same(const LargestRate& iterated, const LargestRate& dense, const std::string& what) {
  EXPECT_NEAR(iterated.value, dense.value, 0.03 * dense.value + 1e-6) << what;
}

TEST(MotionRates, ByIterationAreThoseByMatrices) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Model model =
        mechanisms::compiled(mechanisms::stiff_mechanism(seed, {.max_bodies = 12, .loops = seed % 2 == 0}));
    const State state(model);
    Workspace ws(model);
    update_kinematics(model, state, ws);
    update_loop_constraints(model, state, ws);

    const MotionRates dense = dense_rates(model, state, ws);
    const MotionRates iterated = iterated_rates(model, state);

    ASSERT_TRUE(dense.regular && iterated.regular) << seed;
    expect_same(iterated.springs, dense.springs, "springs of " + model.name());
    expect_same(iterated.dampers, dense.dampers, "dampers of " + model.name());
    expect_same(iterated.touch_springs, dense.touch_springs, "ropes of " + model.name());
    EXPECT_LT((iterated.mobility - dense.mobility).cwiseAbs().maxCoeff(), 1e-6 * dense.mobility.maxCoeff()) << seed;
  }
}

/// Many bars in a row; the one in the middle on a stiff spring.
TEST(AutoIntegrator, JudgesModelsOfManySpeeds) {
  ModelSpec spec = mechanisms::chain(600);
  spec.joints[300].coordinates.resize(1);
  const Model soft = mechanisms::compiled(spec);
  spec.joints[300].coordinates[0].stiffness = 1e9;
  const Model stiff = mechanisms::compiled(spec);

  EXPECT_NE(choose_integrator(soft, fastest_at_start(soft), 1e-3, "rk4").name, "linearly_implicit");
  const FastestMotion fastest = fastest_at_start(stiff);
  EXPECT_EQ(choose_integrator(stiff, fastest, 1e-3, "rk4").name, "linearly_implicit");
  EXPECT_EQ(stiff.speed_name(fastest.frequency_speed), stiff.speed_name(300));
  EXPECT_FALSE(step_warnings(stiff, fastest, 1e-3, "rk4").empty());
}

}  // namespace
}  // namespace kinloop
