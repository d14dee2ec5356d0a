// Tests the constraint rows of joints, and rfda_constraint as their user.
#include "core/dynamics/joint_rows.hpp"

#include <gtest/gtest.h>

#include "core/dynamics/forward_dynamics.hpp"
#include "core/kinematics/forward_kinematics.hpp"
#include "tests/support/allocation_count.hpp"
#include "tests/support/mechanisms.hpp"

namespace kinloop {
namespace {

constexpr double kJointRowsRounding = 1.0e-14;

Columns6 motion_columns(const BodyConstants& body, const Workspace& ws) {
  Columns6 H(6, body.nv);
  for (int i = 0; i < body.nv; ++i) {
    const int speed = body.v + i;
    H.col(i).head<3>() = ws.Hw[static_cast<std::size_t>(speed)].eigen();
    H.col(i).tail<3>() = ws.Hv[static_cast<std::size_t>(speed)].eigen();
  }
  return H;
}

TEST(JointRows, BlockWhatTheMotionColumnsLeave) {
  mechanisms::TreeOptions options;
  options.armature = options.driven = true;
  const Model model = mechanisms::compiled(mechanisms::random_tree(5, 33, options));
  const State state(model);
  Workspace ws(model);
  update_kinematics(model, state, ws);

  for (int k = 1; k < model.body_count(); ++k) {
    const BodyConstants& body = model.body(k);
    JointRows rows;
    const AllocationCount allocations;
    update_joint_rows(model, k, ws, rows);
    EXPECT_EQ(allocations.value(), 0);

    const Columns6 H = motion_columns(body, ws);
    EXPECT_LT((rows.W.transpose() * H - MatrixX::Identity(body.nv, body.nv)).norm(), 10 * kJointRowsRounding);
    EXPECT_LT((rows.G.topRows(6 - body.nv) * H).norm(), 10 * kJointRowsRounding * (1.0 + H.norm()));
    int row = 6 - body.nv;
    for (int i = 0; i < body.nv; ++i) {
      const CoordinateConstants& c = model.coordinate(body.v + i);
      if (c.motion < 0 && c.armature == 0.0) continue;
      EXPECT_EQ(rows.G.row(row), rows.W.col(i).transpose());
      EXPECT_EQ(rows.compliance[row], c.motion >= 0 ? 0.0 : 1.0 / c.armature);
      ++row;
    }
    EXPECT_EQ(rows.G.rows(), row);
  }
}

TEST(JointRows, MakeTheConstraintFormEqualRfda) {
  mechanisms::TreeOptions options;
  options.armature = options.driven = options.joint_forces = options.shuffled = true;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Model model = mechanisms::compiled(mechanisms::random_tree(seed, 22, options));
    Random random(seed);
    const Loads loads = mechanisms::random_loads(model, random);
    Workspace expected(model);
    Workspace found(model);

    ASSERT_EQ(accelerations(model, State(model), loads, **make_dynamics("rfda", model), expected), StepStatus::kOk);
    ASSERT_EQ(accelerations(model, State(model), loads, **make_dynamics("rfda_constraint", model), found),
              StepStatus::kOk);

    const double scale = std::max(1.0, expected.vdot.cwiseAbs().maxCoeff());
    EXPECT_LT((found.vdot - expected.vdot).cwiseAbs().maxCoeff(), 1e-9 * scale) << "seed " << seed;
  }
}

}  // namespace
}  // namespace kinloop
