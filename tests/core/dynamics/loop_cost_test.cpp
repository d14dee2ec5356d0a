// Tests which formulation `auto` takes for closed loops; the order of times was measured (docs/formulations.md).
#include "core/dynamics/loop_cost.hpp"

#include <gtest/gtest.h>

#include <numbers>

#include "core/dynamics/forward_dynamics.hpp"
#include "tests/support/linkages.hpp"

namespace kinloop {
namespace {

std::string_view chosen(const ModelSpec& spec) { return choose_dynamics(mechanisms::compiled(spec)).name; }

TEST(LoopCost, TakesReductionWhereLoopsFollowEachOther) {
  for (const int n : {1, 2, 5, 20}) {
    EXPECT_EQ(chosen(mechanisms::ladder(n, 0, 0.0)), "rcr") << n;
    EXPECT_EQ(chosen(mechanisms::four_bar_chain(n)), "rcr") << n;
  }
  EXPECT_EQ(chosen(mechanisms::config("stewart_platform")), "rcr");
}

TEST(LoopCost, TakesDenseEquationsWhereSmallLoopsOverlap) {
  EXPECT_EQ(chosen(mechanisms::lattice(2, 2)), "semi_recursive_2");
  EXPECT_EQ(chosen(mechanisms::config("double_wishbone")), "semi_recursive_2");
}

/// One loop of so many rods, round like a wheel.
ModelSpec loop_cost_ring(int rods) {
  ModelSpec spec;
  spec.name = "ring";
  const double turn = 2.0 * std::numbers::pi / (rods + 1);
  for (int i = 0; i < rods; ++i) {
    BodySpec body;
    body.name = "rod" + std::to_string(i);
    body.mass = 1.0;
    body.com = Vector3(0.5, 0.0, 0.0);
    body.inertia = Vector3(0.01, 0.1, 0.1).asDiagonal();
    spec.bodies.push_back(body);
    JointSpec joint;
    joint.name = "joint" + std::to_string(i);
    joint.type = JointType::kRevolute;
    joint.predecessor = i > 0 ? spec.bodies[static_cast<std::size_t>(i - 1)].name : kGround;
    joint.successor = body.name;
    joint.frame_pred.p = Vector3(i > 0 ? 1.0 : 0.0, 0.0, 0.0);
    joint.initial_q = {turn};
    spec.joints.push_back(joint);
  }
  JointSpec last;
  last.name = "last";
  last.type = JointType::kRevolute;
  last.predecessor = spec.bodies.back().name;
  last.successor = kGround;
  last.frame_pred.p = Vector3(1.0, 0.0, 0.0);
  last.frame_succ.p = Vector3(-1.0, 0.0, 0.0);  // the side of the polygon that is the ground
  spec.loops.push_back(last);
  return spec;
}

// The dense inertia of a chain of 102 rods costs 26 times as much as reducing its one loop.
TEST(LoopCost, TakesReductionForOneLongLoop) {
  for (const int rods : {20, 50, 102}) EXPECT_EQ(chosen(loop_cost_ring(rods)), "rcr") << rods;
}

TEST(LoopCost, GrowsLinearlyWithTheNumberOfWindows) {
  const LoopCost ten = estimate_loop_cost(mechanisms::compiled(mechanisms::ladder(10, 0, 0.0)));
  const LoopCost hundred = estimate_loop_cost(mechanisms::compiled(mechanisms::ladder(100, 0, 0.0)));

  EXPECT_LT(hundred.rcr_ns, 10.5 * ten.rcr_ns);
  EXPECT_GT(hundred.semi_recursive_2_ns, 50.0 * ten.semi_recursive_2_ns);
}

TEST(LoopCost, GrowsLinearlyWithTheNumberOfGears) {
  const auto geared = [](int bodies) {
    ModelSpec spec = mechanisms::chain(bodies);
    for (std::size_t i = 1; i < spec.joints.size(); i += 2) {
      const double follows = spec.joints[i].initial_q[0] + 2.0 * spec.joints[i - 1].initial_q[0];
      spec.couplings.push_back(
          {"gear" + std::to_string(i), spec.joints[i].name, spec.joints[i - 1].name, -2.0, follows});
    }
    return estimate_loop_cost(mechanisms::compiled(spec)).rcr_ns;
  };

  EXPECT_LT(geared(2400), 10.5 * geared(240));
}

}  // namespace
}  // namespace kinloop
