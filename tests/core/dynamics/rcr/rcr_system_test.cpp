// Tests that every component of loops is solved in its own way.
#include "core/dynamics/rcr/rcr_system.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/base/at.hpp"
#include "core/constraints/rank_tolerance.hpp"
#include "core/dynamics/forward_dynamics.hpp"
#include "core/dynamics/rcr/delaying_segment.hpp"
#include "core/kinematics/forward_kinematics.hpp"
#include "core/kinematics/loop_constraints.hpp"
#include "tests/support/linkages.hpp"
#include "tests/support/relative_difference.hpp"

namespace kinloop {
namespace {

/// Both mechanisms beside each other on the ground.
ModelSpec beside(ModelSpec one, const ModelSpec& other) {
  const auto renamed = [](const std::string& name) { return name == kGround ? name : "other_" + name; };
  for (BodySpec body : other.bodies) {
    body.name = renamed(body.name);
    one.bodies.push_back(body);
  }
  const auto add = [&](const std::vector<JointSpec>& joints, std::vector<JointSpec>& to) {
    for (JointSpec joint : joints) {
      joint.name = renamed(joint.name);
      joint.predecessor = renamed(joint.predecessor);
      joint.successor = renamed(joint.successor);
      to.push_back(joint);
    }
  };
  add(other.joints, one.joints);
  add(other.loops, one.loops);
  return one;
}

void evaluate(const Model& model, Workspace& ws) {
  const State state(model);
  update_kinematics(model, state, ws);
  update_loop_constraints(model, state, ws);
}

const RcrComponent& component_with(const RcrSystem& system, int body) {
  return *std::find_if(system.components().begin(), system.components().end(), [&](const RcrComponent& component) {
    return std::find(component.bodies.begin(), component.bodies.end(), body) != component.bodies.end();
  });
}

TEST(RcrSystem, SolvesOnlyTheComponentThatNeedsItOverWholeLoops) {
  const Model model = mechanisms::compiled(beside(mechanisms::folded_ladder(6, 0.0), mechanisms::ladder(5, 0, 0.0)));
  Workspace ws(model);
  evaluate(model, ws);
  RcrSystem system(model);

  system.choose(ws, kRankTolerance);

  EXPECT_EQ(component_with(system, model.find_body("bar1")).used, 2U) << "whole loops";
  EXPECT_EQ(component_with(system, model.find_body("other_bar1")).used, 0U) << "short tails";
  EXPECT_GT(system.basis().smallest, 0.01);
  EXPECT_EQ(system.basis().free, 0);
}

TEST(RcrSystem, MixesWaysWithoutAChangeOfTheAnswer) {
  const Model model = mechanisms::compiled(beside(mechanisms::folded_ladder(6, 0.0), mechanisms::ladder(5, 0, 0.0)));
  const State state(model);
  Workspace ws(model), reference(model);

  ASSERT_EQ(accelerations(model, state, Loads(model), **make_bare_dynamics("rcr", model), ws), StepStatus::kOk);
  ASSERT_EQ(accelerations(model, state, Loads(model), **make_bare_dynamics("semi_recursive_2", model), reference),
            StepStatus::kOk);

  EXPECT_LT(relative_difference(ws.vdot, reference.vdot), 1e-10);
}

TEST(RcrSystem, DelaysRowsOnlyWhereLoopsAreTooManyToBeSolvedTogether) {
  const Model model =
      mechanisms::compiled(beside(mechanisms::folded_ladder(50, 0.0), mechanisms::folded_ladder(6, 0.0)));
  Workspace ws(model);
  evaluate(model, ws);
  RcrSystem system(model);

  system.choose(ws, kRankTolerance);

  EXPECT_TRUE(component_with(system, model.find_body("bar1")).way().delays_rows);
  EXPECT_FALSE(component_with(system, model.find_body("other_bar1")).way().delays_rows);
}

/// What segments of a long folded ladder eliminate in one evaluation, by the cube of their unknowns; and how many rows
/// were delayed.
struct DelayedWork {
  double cubes = 0.0;
  int rows = 0;
};

DelayedWork delayed_work(int windows) {
  const Model model = mechanisms::compiled(mechanisms::folded_ladder(windows, 1e-3));
  Workspace ws(model);
  EXPECT_EQ(accelerations(model, State(model), Loads(model), **make_bare_dynamics("rcr", model), ws), StepStatus::kOk);
  ConstraintTarget wanted(model);
  required_acceleration(ws, wanted);
  RcrSystem system(model);
  system.choose(ws, kRankTolerance);
  EXPECT_TRUE(system.solve(wanted, ws, kRankTolerance));
  EXPECT_TRUE(system.delays_rows());
  const RcrWay& way = system.components()[0].way();
  DelayedWork work;
  for (int i = 0; i < way.segments.count(); ++i) {
    const auto& segment = dynamic_cast<const DelayingSegment<SpatialAlgebra>&>(*way.segments[i]);
    work.cubes += std::pow(segment.unknowns(), 3);
    work.rows += segment.unknowns() - way.plan->plan.segments[i].slots.count();
  }
  return work;
}

TEST(RcrSystem, DelaysRowsAtACostThatGrowsWithTheLengthOfALadder) {
  const DelayedWork shorter = delayed_work(50);
  const DelayedWork longer = delayed_work(200);

  EXPECT_GT(shorter.rows, 0);
  EXPECT_LE(longer.rows, 4.1 * shorter.rows);
  EXPECT_LT(longer.cubes, 4.1 * shorter.cubes);
}

TEST(RcrSystem, HoldsEveryBodyInOneComponentAndEverySegmentInOrder) {
  for (int i = 0; i < 40; ++i) {
    mechanisms::LinkageOptions options;
    options.loops = 1 + i % 8;
    options.couplings = i % 4;
    const Model model =
        mechanisms::compiled(mechanisms::random_linkage(static_cast<std::uint64_t>(i), 3 + i % 15, options));
    const RcrSystem system(model);

    std::vector<int> bodies;
    for (const RcrComponent& component : system.components()) {
      bodies.insert(bodies.end(), component.bodies.begin(), component.bodies.end());
      // Whatever the way, a component hangs on one body outside of it.
      std::vector<int> outside;
      for (const RcrWay& way : component.ways) {
        for (const Segment& segment : way.plan->plan.segments) {
          const auto holds = [&](int b) {
            return std::find(component.bodies.begin(), component.bodies.end(), b) != component.bodies.end();
          };
          if (!holds(segment.bodies[0])) continue;
          for (const int b : segment.boundary) {
            if (!holds(b)) outside.push_back(b);
          }
        }
      }
      EXPECT_TRUE(std::all_of(outside.begin(), outside.end(), [&](int b) { return b == outside[0]; })) << i;
    }
    std::sort(bodies.begin(), bodies.end());
    EXPECT_EQ(bodies.size(), at(model.body_count() - 1)) << i;
    EXPECT_EQ(std::adjacent_find(bodies.begin(), bodies.end()), bodies.end()) << i;
  }
}

}  // namespace
}  // namespace kinloop
