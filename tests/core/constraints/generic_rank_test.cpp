// Tests the rank of nearly all closed positions, and how rows are measured.
#include "core/constraints/generic_rank.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "core/constraints/constraint_rank.hpp"
#include "core/constraints/row_measure.hpp"
#include "core/kinematics/forward_kinematics.hpp"
#include "core/kinematics/loop_constraints.hpp"
#include "tests/support/linkages.hpp"
#include "tests/support/simulation.hpp"

namespace kinloop {
namespace {

int generic_rank_of(const ModelSpec& spec) { return mechanisms::compiled(spec).generic_rank().all; }

TEST(GenericRank, IsThatOfKnownMechanisms) {
  EXPECT_EQ(generic_rank_of(mechanisms::four_bar()), 2);
  EXPECT_EQ(generic_rank_of(mechanisms::config("bricard")), 4) << "five joints of the tree, one dof";
  EXPECT_EQ(generic_rank_of(mechanisms::config("stewart_platform")), 18);
  EXPECT_EQ(generic_rank_of(mechanisms::config("andrews_squeezer")), 6);
  EXPECT_EQ(generic_rank_of(mechanisms::lattice(4, 5)), 40);
  EXPECT_EQ(mechanisms::compiled(mechanisms::config("arm7")).generic_rank().all, 0);
}

TEST(GenericRank, DoesNotTakeASingularStartForTheRule) {
  for (const double angle : {0.0, std::numbers::pi}) {
    EXPECT_EQ(generic_rank_of(mechanisms::n_four_bar(1, angle, 0.0)), 2) << angle;
    EXPECT_EQ(generic_rank_of(mechanisms::n_four_bar(2, angle, 1.0)), 4) << "it moves, so the way on is known";
    EXPECT_EQ(generic_rank_of(mechanisms::n_four_bar(5, angle, 1.0)), 10);
  }
}

// Many branches meet there, and short ways along a mixture of them do not close again.
TEST(GenericRank, IsFoundFromASingularStartAtRest) {
  for (const double angle : {0.0, 1e-10, 1e-9}) {
    EXPECT_EQ(generic_rank_of(mechanisms::n_four_bar(2, angle, 0.0)), 4) << angle;
    EXPECT_EQ(generic_rank_of(mechanisms::n_four_bar(5, angle, 0.0)), 10) << angle;
  }
}

TEST(GenericRank, IsTheRankAlongTheMotion) {
  for (int i = 0; i < 20; ++i) {
    mechanisms::LinkageOptions options;
    options.loops = 1 + i % 4;
    options.couplings = i % 3;
    options.least_share = 5e-2;
    const Model model =
        mechanisms::compiled(mechanisms::random_linkage(static_cast<std::uint64_t>(400 + i), 9, options));
    Simulation simulation(model, "rk4", "auto");

    for (int look = 0; look < 10; ++look) {
      ASSERT_EQ(simulation.run(1e-3, 10), StepStatus::kOk) << i;
      update_kinematics(model, simulation.state, simulation.ws);
      update_loop_constraints(model, simulation.state, simulation.ws);
      EXPECT_EQ(constraint_rank(model, simulation.ws, RankOf::kFreeSpeeds).rank, model.generic_rank().all) << i;
    }
  }
}

TEST(RowMeasure, JudgesALoopByItsOwnLength) {
  ModelSpec spec = mechanisms::four_bar();
  const Model alone = mechanisms::compiled(spec);
  BodySpec boom;  // a large machine beside the small linkage
  boom.name = "boom";
  boom.mass = 1000.0;
  boom.com = Vector3(200.0, 0.0, 0.0);
  boom.inertia = 1e6 * Matrix3::Identity();
  spec.bodies.push_back(boom);
  JointSpec slew;
  slew.name = "slew";
  slew.type = JointType::kRevolute;
  slew.predecessor = kGround;
  slew.successor = "boom";
  spec.joints.push_back(slew);
  const Model beside = mechanisms::compiled(spec);

  ASSERT_GT(beside.length_m(), 10.0 * alone.length_m());
  EXPECT_DOUBLE_EQ(beside.loop_lengths_m()[0], alone.loop_lengths_m()[0]);
  const auto size_of_row = [](const Model& model, int row) {
    return RowMeasure(model).scale[row] *
           std::sqrt(dot(model.loops()[0].directions->G[static_cast<std::size_t>(row)].linear,
                         model.loops()[0].directions->G[static_cast<std::size_t>(row)].linear));
  };
  for (int row = 0; row < 5; ++row) {
    EXPECT_NEAR(size_of_row(beside, row), size_of_row(alone, row), 1e-12) << "the row is the same number per metre";
  }
}

}  // namespace
}  // namespace kinloop
