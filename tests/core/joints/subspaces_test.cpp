// Tests what joints block: square to what they let move, and the same rows while coordinates change a little.
#include "core/joints/subspaces.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/random.hpp"

namespace kinloop {
namespace {

constexpr double kDirectionsLength_m = 0.7;

JointParameters directions_parameters(JointType type) {
  JointParameters parameters;
  if (type == JointType::kScrew) parameters.pitch = 0.3;
  if (type == JointType::kCam) {
    FunctionSpec profile;
    profile.polynomial = {0.5};
    profile.harmonics = {{0.2, -0.1}};
    parameters.profile = std::move(ScalarFunction::make(profile, "profile")).value();
  }
  return parameters;
}

JointSubspaces subspaces_of(const JointKind& kind, const std::array<double, 7>& q) {
  const JointParameters parameters = directions_parameters(kind.type);
  const std::array<double, 6> at_rest{};
  JointMotion motion;
  kind.evaluate(parameters, q.data(), at_rest.data(), motion);
  return joint_directions(kind, motion, kDirectionsLength_m);
}

/// In [w; v / L].
double product_in_lengths(const SpatialVector& G, const SpatialVector& other) {
  return dot(G.angular, other.angular) + kDirectionsLength_m * kDirectionsLength_m * dot(G.linear, other.linear);
}

TEST(JointSubspaces, BlockWhatTheJointDoesNotLetMove) {
  Random random(1);
  for (const JointKind& kind : joint_kinds()) {
    for (int i = 0; i < 20; ++i) {
      std::array<double, 7> q{};
      if (kind.quaternion >= 0) q[static_cast<std::size_t>(kind.quaternion)] = 1.0;
      if (kind.blocked != nullptr) {
        for (double& x : q) x = random.uniform(-3.0, 3.0);
      }

      const JointSubspaces d = subspaces_of(kind, q);

      ASSERT_EQ(d.dofs + d.rows, 6) << kind.name;
      for (std::size_t r = 0; r < static_cast<std::size_t>(d.rows); ++r) {
        for (std::size_t c = 0; c < static_cast<std::size_t>(d.dofs); ++c) {
          EXPECT_NEAR(dot(d.G[r], d.H[c]), 0.0, 1e-14) << kind.name;
        }
        for (std::size_t s = 0; s <= r; ++s) {
          EXPECT_NEAR(product_in_lengths(d.G[r], d.G[s]), r == s ? 1.0 : 0.0, 1e-14) << kind.name;
        }
      }
    }
  }
}

// A held pivot names a row by its number: it must mean the same direction a moment later.
TEST(JointSubspaces, AreContinuousInTheCoordinates) {
  constexpr double kSmallStep = 1e-3;
  for (const JointKind& kind : joint_kinds()) {
    if (kind.blocked == nullptr) continue;
    for (int coordinate = 0; coordinate < kind.nq; ++coordinate) {
      std::array<double, 7> q{0.4, -0.9};
      JointSubspaces before = subspaces_of(kind, q);
      for (int i = 0; i < 7000; ++i) {
        q[static_cast<std::size_t>(coordinate)] += kSmallStep;
        const JointSubspaces after = subspaces_of(kind, q);
        for (std::size_t r = 0; r < static_cast<std::size_t>(after.rows); ++r) {
          // A unit direction turns by at most a few times the step.
          ASSERT_GT(product_in_lengths(before.G[r], after.G[r]), std::cos(5.0 * kSmallStep)) << kind.name << ' ' << r;
        }
        before = after;
      }
    }
  }
}

}  // namespace
}  // namespace kinloop
