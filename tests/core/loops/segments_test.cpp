// Tests the plan of the recursion: every body in one segment, in an order that works, and segments as small as can be.
#include "core/loops/segments.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "core/base/at.hpp"
#include "tests/support/linkages.hpp"

namespace kinloop {
namespace {

struct Planned {
  explicit Planned(const ModelSpec& spec)
      : model(mechanisms::compiled(spec)),
        graph(model),
        samples(loop_samples(model, graph)),
        rows(model, graph, samples),
        plan(model, graph, samples, rows, Tails::kShort) {}

  std::size_t largest_segment() const {
    std::size_t largest = 0;
    for (const Segment& segment : plan.segments) largest = std::max(largest, segment.bodies.size());
    return largest;
  }

  Model model;
  LoopGraph graph;
  std::vector<LoopSample> samples;
  ClosingRows rows;
  SegmentPlan plan;
};

std::vector<ModelSpec> segments_samples() {
  std::vector<ModelSpec> specs = {mechanisms::n_four_bar(10, 1.0, 0.0), mechanisms::lattice(3, 4),
                                  mechanisms::four_bar_chain(4), mechanisms::config("andrews_squeezer"),
                                  mechanisms::config("stewart_platform")};
  for (int i = 0; i < 40; ++i) {
    mechanisms::LinkageOptions options;
    options.loops = 1 + i % 8;
    specs.push_back(mechanisms::random_linkage(static_cast<std::uint64_t>(i), 3 + i % 15, options));
  }
  return specs;
}

TEST(SegmentPlan, HoldsEveryBodyClosingAndCoordinateOnce) {
  for (const ModelSpec& spec : segments_samples()) {
    const Planned p(spec);

    std::multiset<int> bodies, closings, slots;
    for (const Segment& segment : p.plan.segments) {
      bodies.insert(segment.bodies.begin(), segment.bodies.end());
      for (const SegmentClosing& closing : segment.closings) closings.insert(closing.index);
      slots.insert(segment.slots.begin(), segment.slots.end());
    }
    EXPECT_EQ(bodies.size(), at(p.model.body_count() - 1)) << spec.name;
    EXPECT_EQ(std::set<int>(bodies.begin(), bodies.end()).size(), bodies.size()) << spec.name;
    EXPECT_EQ(std::set<int>(closings.begin(), closings.end()).size(), p.graph.closings.size()) << spec.name;
    EXPECT_EQ(closings.size(), p.graph.closings.size()) << spec.name;
    std::size_t unknowns = at(p.graph.slot_count());  // less the coordinates of closing joints that rows replace
    for (std::size_t c = 0; c < p.graph.closings.size(); ++c) {
      if (!p.rows.keeps_coordinates(c)) unknowns -= at(p.graph.edges[at(p.graph.closings[c].edge)].slots);
    }
    EXPECT_EQ(slots.size(), unknowns) << spec.name;
    EXPECT_EQ(std::set<int>(slots.begin(), slots.end()).size(), slots.size()) << spec.name;
  }
}

TEST(SegmentPlan, EliminatesWhatHangsOnASegmentBeforeIt) {
  for (const ModelSpec& spec : segments_samples()) {
    const Planned p(spec);

    std::set<int> gone = {};
    for (const Segment& segment : p.plan.segments) {
      EXPECT_FALSE(gone.contains(segment.parent)) << spec.name;
      for (const int e : segment.externals) EXPECT_FALSE(gone.contains(e)) << spec.name;
      gone.insert(segment.bodies.begin(), segment.bodies.end());
    }
  }
}

TEST(SegmentPlan, SegmentsAreConnectedBelowOneTop) {
  for (const ModelSpec& spec : segments_samples()) {
    const Planned p(spec);

    for (const Segment& segment : p.plan.segments) {
      EXPECT_EQ(segment.parent, p.graph.bodies[at(segment.bodies[0])].parent) << spec.name;
      EXPECT_EQ(segment.parent_in[0], -1) << spec.name;
      for (std::size_t i = 1; i < segment.bodies.size(); ++i) {
        ASSERT_GE(segment.parent_in[i], 0) << spec.name;
        EXPECT_EQ(segment.bodies[at(segment.parent_in[i])], p.graph.bodies[at(segment.bodies[i])].parent) << spec.name;
      }
    }
  }
}

TEST(SegmentPlan, KeepsTheWindowsOfAnNFourBarApart) {
  const Planned p(mechanisms::n_four_bar(30, 1.0, 0.0));

  EXPECT_LE(p.largest_segment(), 4U);  // two bodies close a window, one or two may be spare
  for (const Segment& segment : p.plan.segments) EXPECT_LE(segment.closings.size(), 1U);
}

TEST(SegmentPlan, KeepsTheWindowsApartAlsoWhereTheyStartFlat) {
  const Planned p(mechanisms::n_four_bar(30, 0.0, 0.0));

  EXPECT_LE(p.largest_segment(), 4U);
  for (const Segment& segment : p.plan.segments) EXPECT_LE(segment.closings.size(), 1U);
}

TEST(SegmentPlan, SolvesTheMeshesOfALatticeTogether) {
  const Planned p(mechanisms::lattice(2, 2));

  std::size_t most = 0;
  for (const Segment& segment : p.plan.segments) most = std::max(most, segment.closings.size());
  EXPECT_GE(most, 2U);
}

}  // namespace
}  // namespace kinloop
