// Tests the inertia that each speed moves alone against the mass matrix, and the stops that are chosen from it.
#include "core/model/locked_inertia.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <numbers>

#include "core/constraints/compile.hpp"
#include "core/dynamics/mass_matrix.hpp"
#include "core/kinematics/forward_kinematics.hpp"
#include "tests/support/mechanisms.hpp"

namespace kinloop {
namespace {

constexpr double kTolerance = 1e-11;  // relative; two orders of adding some forty bodies

TEST(LockedInertia, IsTheDiagonalOfTheMassMatrix) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Model model =
        mechanisms::compiled(mechanisms::random_tree(seed, 40, {.armature = true, .driven = true, .shuffled = true}));
    const State state(model);
    Workspace ws(model);
    update_kinematics(model, state, ws);
    MatrixX M;
    mass_matrix(model, ws, M);

    const VectorX inertias = locked_inertias(model);

    EXPECT_LT((inertias - M.diagonal()).cwiseQuotient(M.diagonal()).cwiseAbs().maxCoeff(), kTolerance) << seed;
  }
}

/// A point mass on an arm that turns about z, with stops.
ModelSpec arm(const LimitSpec& limit) {
  BodySpec body;
  body.name = "arm";
  body.mass = 2.0;
  body.com = Vector3(3.0, 0.0, 0.0);
  JointSpec joint;
  joint.name = "pin";
  joint.type = JointType::kRevolute;
  joint.predecessor = kGround;
  joint.successor = "arm";
  joint.coordinates.resize(1);
  joint.coordinates[0].limit = limit;
  ModelSpec spec;
  spec.bodies = {body};
  spec.joints = {joint};
  return spec;
}

TEST(Stops, WithoutAStiffnessGetOneFromTheInertiaTheyStop) {
  const Model model = compile(arm({-1.0, 1.0, {}, {}})).value();

  const double w = 2.0 * std::numbers::pi * 20.0;
  EXPECT_NEAR(model.coordinate(0).limit_stiffness, 18.0 * w * w, 1e-9 * w * w);
  EXPECT_NEAR(model.coordinate(0).limit_damping, 18.0 * w, 1e-9 * w);
}

TEST(Stops, WithAStiffnessKeepIt) {
  const Model model = compile(arm({-1.0, 1.0, 5.0, {}})).value();

  EXPECT_EQ(model.coordinate(0).limit_stiffness, 5.0);
  EXPECT_EQ(model.coordinate(0).limit_damping, 0.0);
}

}  // namespace
}  // namespace kinloop
