// Tests that the parts of the kinematic sweep find what the whole one does.
#include "core/kinematics/forward_kinematics.hpp"

#include <gtest/gtest.h>

#include "tests/support/mechanisms.hpp"

namespace kinloop {
namespace {

constexpr double kKinematicsRounding = 1e-12;  // of sums along trees of up to 40 bodies

double distance(const Vec3& a, const Vec3& b) { return (a - b).eigen().norm(); }

TEST(Kinematics, PositionsAndVelocitiesAloneAreThoseOfTheWholeSweep) {
  for (int i = 0; i < 40; ++i) {
    const Model model = mechanisms::compiled(mechanisms::random_tree(static_cast<std::uint64_t>(i), 1 + i));
    Random random(static_cast<std::uint64_t>(i));
    State state(model);
    mechanisms::randomize(model, random, state);
    Workspace whole(model);
    Workspace parts(model);

    update_kinematics(model, state, whole);
    update_positions(model, state.q().data(), parts);
    update_velocities(model, state.v().data(), parts);

    for (std::size_t k = 0; k < whole.motion.size(); ++k) {
      const BodyMotion& expected = whole.motion[k];
      const BodyMotion& found = parts.motion[k];
      for (std::size_t c = 0; c < 3; ++c) EXPECT_LT(distance(found.R.c[c], expected.R.c[c]), kKinematicsRounding);
      EXPECT_LT(distance(found.x, expected.x), kKinematicsRounding * (1.0 + expected.x.eigen().norm()));
      EXPECT_LT(distance(found.r, expected.r), kKinematicsRounding * (1.0 + expected.r.eigen().norm()));
      EXPECT_LT(distance(found.w, expected.w), kKinematicsRounding * (1.0 + expected.w.eigen().norm()));
      EXPECT_LT(distance(found.v, expected.v), kKinematicsRounding * (1.0 + expected.v.eigen().norm()));
    }
    for (std::size_t j = 0; j < whole.Hw.size(); ++j) {
      EXPECT_LT(distance(parts.Hw[j], whole.Hw[j]), kKinematicsRounding);
      EXPECT_LT(distance(parts.Hv[j], whole.Hv[j]), kKinematicsRounding);
    }
  }
}

}  // namespace
}  // namespace kinloop
