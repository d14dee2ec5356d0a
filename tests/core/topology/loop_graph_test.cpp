// Tests the depth-first tree: joints left over lead to ancestors, and nothing is lost or used twice.
#include "core/topology/loop_graph.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "core/base/at.hpp"
#include "tests/support/linkages.hpp"

namespace kinloop {
namespace {

std::vector<ModelSpec> loop_graph_samples() {
  std::vector<ModelSpec> specs = {mechanisms::n_four_bar(10, 1.0, 0.0), mechanisms::lattice(3, 4),
                                  mechanisms::four_bar_chain(4), mechanisms::config("andrews_squeezer"),
                                  mechanisms::config("stewart_platform")};
  for (int i = 0; i < 50; ++i) {
    mechanisms::LinkageOptions options;
    options.loops = 1 + i % 8;
    options.tree.shuffled = i % 2 == 0;
    options.tree.driven = i % 3 == 0;
    specs.push_back(mechanisms::random_linkage(static_cast<std::uint64_t>(i), 3 + i % 15, options));
  }
  return specs;
}

TEST(LoopGraph, LeadsEveryClosingToAnAncestor) {
  for (const ModelSpec& spec : loop_graph_samples()) {
    const LoopGraph graph(mechanisms::compiled(spec));

    for (const GraphClosing& closing : graph.closings) {
      int body = closing.tip;
      while (body != closing.base && body > 0) body = graph.bodies[at(body)].parent;
      EXPECT_EQ(body, closing.base) << spec.name;
      EXPECT_NE(closing.tip, closing.base) << spec.name;
    }
  }
}

TEST(LoopGraph, UsesEveryJointOnce) {
  for (const ModelSpec& spec : loop_graph_samples()) {
    const Model model = mechanisms::compiled(spec);
    const LoopGraph graph(model);

    std::multiset<int> used;
    for (const int b : graph.order) used.insert(graph.bodies[at(b)].edge);
    for (const GraphClosing& closing : graph.closings) used.insert(closing.edge);
    ASSERT_EQ(used.size(), spec.joints.size() + spec.loops.size()) << spec.name;
    EXPECT_EQ(std::set<int>(used.begin(), used.end()).size(), used.size()) << spec.name;
    EXPECT_EQ(graph.closings.size(), spec.loops.size()) << spec.name;
  }
}

TEST(LoopGraph, PutsParentsBeforeChildrenOneStepDeeper) {
  for (const ModelSpec& spec : loop_graph_samples()) {
    const Model model = mechanisms::compiled(spec);
    const LoopGraph graph(model);

    std::set<int> seen = {0};
    for (const int b : graph.order) {
      EXPECT_TRUE(seen.contains(graph.bodies[at(b)].parent)) << spec.name;
      EXPECT_EQ(graph.bodies[at(b)].depth, graph.bodies[at(graph.bodies[at(b)].parent)].depth + 1) << spec.name;
      seen.insert(b);
    }
    EXPECT_EQ(static_cast<int>(seen.size()), model.body_count()) << spec.name;
  }
}

TEST(LoopGraph, KnowsTheDirectionOfItsEdges) {
  for (const ModelSpec& spec : loop_graph_samples()) {
    const LoopGraph graph(mechanisms::compiled(spec));

    for (const int b : graph.order) {
      const GraphBody& body = graph.bodies[at(b)];
      const GraphEdge& edge = graph.edges[at(body.edge)];
      EXPECT_EQ(body.sign > 0.0 ? edge.succ : edge.pred, b) << spec.name;
      EXPECT_EQ(body.sign > 0.0 ? edge.pred : edge.succ, body.parent) << spec.name;
    }
    for (const GraphClosing& closing : graph.closings) {
      const GraphEdge& edge = graph.edges[at(closing.edge)];
      EXPECT_EQ(closing.sign > 0.0 ? edge.succ : edge.pred, closing.tip) << spec.name;
      EXPECT_EQ(closing.sign > 0.0 ? edge.pred : edge.succ, closing.base) << spec.name;
    }
  }
}

TEST(LoopGraph, GivesEveryFreeSpeedOneSlot) {
  for (const ModelSpec& spec : loop_graph_samples()) {
    const Model model = mechanisms::compiled(spec);
    const LoopGraph graph(model);

    std::multiset<int> speeds;
    for (const int speed : graph.slot_speed) {
      if (speed >= 0) speeds.insert(speed);
    }
    for (int i = 0; i < model.nv(); ++i) {
      EXPECT_EQ(speeds.count(i), model.coordinate(i).motion < 0 ? 1U : 0U) << spec.name;
    }
  }
}

TEST(LoopGraph, GrowsChainsOfThousandsOfBodies) {
  const Model model = mechanisms::compiled(mechanisms::n_four_bar(3000, 1.0, 0.0));

  const LoopGraph graph(model);

  EXPECT_EQ(graph.order.size(), 6001U);
  EXPECT_EQ(graph.closings.size(), 3000U);
}

}  // namespace
}  // namespace kinloop
