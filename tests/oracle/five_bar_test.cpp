// The five-bar of paper 000, whose last coordinates are no valid dependent set, solved in both of the paper's ways: its
// Figure 7 shows one motion for the two.
#include <gtest/gtest.h>

#include <algorithm>
#include <numbers>

#include "core/integrators/integrator.hpp"
#include "core/topology/segments.hpp"
#include "services/files/load_model.hpp"
#include "tests/support/linkages.hpp"
#include "tests/support/trajectory_rows.hpp"
#include "tests/support/vectors.hpp"

namespace kinloop {
namespace {

constexpr double kUntil_s = 1.2;  // shortly after it lies a change point, where the motion is not unique

Model five_bar() {
  auto loaded = load_model(test::trajectory_path("fivebar.json"));
  EXPECT_TRUE(loaded);
  return std::move(loaded->model);
}

/// The paper's adjustment of the topology (000 §5, Figure 8a): a joint that allows everything in the plane leads from
/// the first rod to the last, and so the one singular loop becomes two regular ones with different bases.
Model coupled_five_bar() {
  ModelSpec spec = five_bar().spec();
  const auto j4 = std::find_if(spec.joints.begin(), spec.joints.end(), [](const auto& j) { return j.name == "j4"; });
  JointSpec cut = *j4;
  cut.initial_q.clear();
  cut.initial_u.clear();
  spec.loops.insert(spec.loops.begin(), cut);
  spec.joints.erase(j4);
  JointSpec fictitious;
  fictitious.name = "fictitious";
  fictitious.type = JointType::kPlanar;
  fictitious.predecessor = "link1";
  fictitious.successor = "link4";
  fictitious.initial_q = {1.0, -1.0, -std::numbers::pi / 4.0};
  spec.joints.insert(spec.joints.begin() + 1, fictitious);  // before j2: the search then takes it first
  return mechanisms::compiled(spec);
}

struct Plan {
  explicit Plan(const Model& model)
      : graph(model),
        samples(loop_samples(model, graph)),
        rows(model, graph, samples),
        segments(model, graph, samples, rows, Tails::kShort) {}

  LoopGraph graph;
  IndexedVector<LoopSample> samples;
  ReducedLoopRows rows;
  SegmentPlan segments;
};

struct Simulation {
  explicit Simulation(Model m)
      : model(std::move(m)),
        state(model),
        ws(model),
        dynamics(make_dynamics("rcr", model).value()),
        integrator(make_integrator("rk4", model).value()) {}

  void step(double dt_s) {
    ASSERT_EQ(integrator->step(model, Loads(model), dt_s, *dynamics, state, ws), StepStatus::kOk);
  }
  /// Position and speed of a joint of one coordinate.
  std::array<double, 2> motion(std::string_view joint) const {
    const BodyConstants& body = model.body(model.find_joint(joint));
    return {state.q()[body.q], state.v()[body.v]};
  }

  Model model;
  State state;
  Workspace ws;
  std::unique_ptr<Dynamics> dynamics;
  std::unique_ptr<Integrator> integrator;
};

TEST(FiveBar, IsOneLoopWithADistantDependentOrTwoCoupledLoops) {
  const Model one = five_bar();
  const Plan arbitrary(one);
  const Segment& whole = arbitrary.segments.segments.front();
  ASSERT_EQ(arbitrary.graph.closings.size(), 1U);
  EXPECT_NE(std::find(whole.bodies.begin(), whole.bodies.end(), one.find_body("link2")), whole.bodies.end());
  EXPECT_TRUE(arbitrary.segments.blocks.empty());

  const Model two = coupled_five_bar();
  const Plan coupled(two);
  ASSERT_EQ(coupled.graph.closings.size(), 2U);
  ASSERT_EQ(coupled.segments.blocks.size(), 1U);  // an inertia between the last rod and the base of the inner loop
  EXPECT_EQ(coupled.segments.blocks[0].body, two.find_body("link4"));
  EXPECT_EQ(coupled.segments.blocks[0].ancestor, two.find_body("link1"));
  const Segment& inner = coupled.segments.segments.front();
  EXPECT_EQ(inner.boundary.size(), 2U);
  EXPECT_EQ(inner.slots.size(), coupled.rows.of(static_cast<std::size_t>(inner.closings[0].index)).size());
}

TEST(FiveBar, MovesAsInFigure7WithBoth) {
  Simulation arbitrary(five_bar()), coupled(coupled_five_bar());
  const auto rows = test::trajectory_rows("fivebar.csv");
  constexpr int kStepsPerRow = 10;
  const auto nq = static_cast<std::size_t>(arbitrary.model.nq());

  double from_reference = 0.0;
  double from_each_other = 0.0;
  for (std::size_t i = 1; i < rows.size() && rows[i][0] <= kUntil_s + 1e-9; ++i) {
    for (int step = 0; step < kStepsPerRow; ++step) {
      arbitrary.step((rows[i][0] - rows[i - 1][0]) / kStepsPerRow);
      coupled.step((rows[i][0] - rows[i - 1][0]) / kStepsPerRow);
      if (HasFatalFailure()) return;
    }
    for (const std::string_view joint : {"j1", "j2", "j3"}) {
      const auto place = static_cast<std::size_t>(arbitrary.model.body(arbitrary.model.find_joint(joint)).q);
      const auto [q_a, v_a] = arbitrary.motion(joint);
      const auto [q_c, v_c] = coupled.motion(joint);
      from_reference = std::max({from_reference, std::abs(q_a - rows[i][1 + place]), std::abs(q_c - rows[i][1 + place]),
                                 std::abs(v_a - rows[i][1 + nq + place]), std::abs(v_c - rows[i][1 + nq + place])});
      from_each_other = std::max({from_each_other, std::abs(q_a - q_c), std::abs(v_a - v_c)});
    }
  }

  RecordProperty("from_reference", std::to_string(from_reference));
  EXPECT_LT(from_reference, 1e-8);  // rk4's own error, speeds up to 10 rad/s
  EXPECT_LT(from_each_other, 1e-10);
}

}  // namespace
}  // namespace kinloop
