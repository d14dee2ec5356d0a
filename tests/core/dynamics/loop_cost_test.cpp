// Tests which formulation `auto` takes for closed loops; the order of times was measured (docs/formulations.md).
#include "core/dynamics/loop_cost.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <numbers>
#include <string>
#include <utility>

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

TEST(LoopCost, TakesDenseEquationsWhereSmallLoopsInSpaceOverlap) {
  EXPECT_EQ(chosen(mechanisms::config("double_wishbone")), "semi_recursive_2");
}

// In the plane a block has a quarter of the numbers: 2.4 against 2.8 us for the smaller one, 8.2 against 12.8.
TEST(LoopCost, TakesReductionWhereLoopsInAPlaneOverlap) {
  EXPECT_EQ(chosen(mechanisms::lattice(2, 2)), "rcr");
  EXPECT_EQ(chosen(mechanisms::lattice(3, 4)), "rcr");
}

// The figures of ./dev count stand for times: what takes more instructions takes longer, 24 a nanosecond on the machine
// of the estimate (19 to 29 over these).
TEST(LoopCost, IsRightToAFactorOfTwoWhereInstructionsWereCounted) {
  constexpr double kInstructionsPerNs = 24.0;
  std::ifstream file(KINLOOP_SOURCE_DIR "/bench/instructions/figures.json");
  const auto counted = nlohmann::json::parse(file)["instructions"];
  for (const auto& [kernel, name] :
       {std::pair{"four_bar", "four_bar"}, std::pair{"five_bar", "five_bar"}, std::pair{"excavator", "excavator"},
        std::pair{"double_wishbone", "double_wishbone"}, std::pair{"stewart", "stewart_platform"},
        std::pair{"crane", "knuckle_boom_crane"}}) {
    const Model model = mechanisms::compiled(mechanisms::config(name));
    for (const std::string formulation : {"rcr", "semi_recursive_1", "semi_recursive_2", "partition"}) {
      const double counted_ns = counted.at(std::string(kernel) + "/" + formulation).get<double>() / kInstructionsPerNs;

      const double estimated_ns = estimate_evaluation_ns(formulation, model);

      EXPECT_LT(estimated_ns, 2.0 * counted_ns) << name << ' ' << formulation;
      EXPECT_GT(estimated_ns, 0.5 * counted_ns) << name << ' ' << formulation;
    }
  }
}

TEST(LoopCost, CountsTheFormulationThatIsAskedNextOfTheOneInUse) {
  const Model model = mechanisms::compiled(mechanisms::config("stewart_platform"));
  const auto of = [&](const char* name) { return estimate_evaluation_ns(name, model); };

  const EvaluationCost rcr = estimate_evaluation("rcr", model).value();
  const EvaluationCost partition = estimate_evaluation("partition", model).value();
  const EvaluationCost dense = estimate_evaluation("semi_recursive_2", model).value();

  EXPECT_EQ(rcr.usual_ns, of("rcr"));
  EXPECT_EQ(rcr.with_fallback_ns, of("rcr") + of("semi_recursive_2"));
  EXPECT_EQ(partition.with_fallback_ns, of("partition") + of("semi_recursive_2"));
  EXPECT_EQ(dense.with_fallback_ns, of("semi_recursive_2") + of("rcr"));
  EXPECT_EQ(estimate_evaluation("auto", model)->usual_ns, of("rcr"));
}

// Then `partition` is the one to repeat an answer of `rcr`.
TEST(LoopCost, KnowsTheFallbackWhereTheOpenTreeHasNoInertia) {
  ModelSpec spec = mechanisms::four_bar();
  spec.bodies.back().mass = 0.0;
  spec.bodies.back().inertia.setZero();
  const Model model = mechanisms::compiled(spec);

  const EvaluationCost cost = estimate_evaluation("auto", model).value();

  EXPECT_EQ(cost.usual_ns, estimate_evaluation_ns("rcr", model));
  EXPECT_EQ(cost.with_fallback_ns, cost.usual_ns + estimate_evaluation_ns("partition", model));
}

TEST(LoopCost, IsNoneOfTrees) {
  EXPECT_FALSE(estimate_evaluation("auto", mechanisms::compiled(mechanisms::chain(3))).has_value());
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
