// Tests the plan of the recursion: every body in one segment, in an order that works, and segments as small as can be.
#include "core/topology/segments.hpp"

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
  IndexedVector<LoopSample> samples;
  ReducedLoopRows rows;
  SegmentPlan plan;
};

std::vector<ModelSpec> segments_samples() {
  std::vector<ModelSpec> specs = {mechanisms::n_four_bar(10, 1.0, 0.0), mechanisms::lattice(3, 4),
                                  mechanisms::four_bar_chain(4), mechanisms::config("andrews_squeezer"),
                                  mechanisms::config("stewart_platform")};
  for (int i = 0; i < 40; ++i) {
    mechanisms::LinkageOptions options;
    options.loops = 1 + i % 8;
    options.couplings = i % 4;
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
      for (const int e : segment.boundary) EXPECT_FALSE(gone.contains(e)) << spec.name;
      gone.insert(segment.bodies.begin(), segment.bodies.end());
    }
  }
}

TEST(SegmentPlan, SegmentsAreConnectedBelowOneBody) {
  for (const ModelSpec& spec : segments_samples()) {
    const Planned p(spec);

    for (const Segment& segment : p.plan.segments) {
      EXPECT_EQ(segment.parent, p.graph.bodies[at(segment.bodies[0])].parent) << spec.name;
      EXPECT_EQ(segment.parent_in[0], -1) << spec.name;
      for (std::size_t i = 1; i < segment.bodies.size(); ++i) {
        const int parent = p.graph.bodies[at(segment.bodies[i])].parent;
        const int place = segment.parent_in[i];
        if (place < 0) {
          EXPECT_FALSE(segment.couplings.empty()) << spec.name;  // which alone join branches
        }
        EXPECT_EQ(place >= 0 ? segment.bodies[at(place)] : segment.parent, parent) << spec.name;
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

/// As the joints stand.
CouplingSpec gear(const JointSpec& joint, const JointSpec& of) {
  constexpr double kRatio = -2.0;
  return {joint.name + "_" + of.name, joint.name, of.name, kRatio, joint.initial_q[0] - kRatio * of.initial_q[0]};
}

TEST(SegmentPlan, JoinsOnlyTheBodiesBetweenTheJointsOfACoupling) {
  ModelSpec spec = mechanisms::chain(60);
  for (std::size_t i = 0; i + 1 < spec.joints.size(); i += 2) {
    spec.couplings.push_back(gear(spec.joints[i + 1], spec.joints[i]));
  }
  const Planned p(spec);

  EXPECT_TRUE(p.plan.couplings_apart.empty());
  EXPECT_EQ(p.largest_segment(), 2U);
}

// The size at which the generic rank is not sought any more is none for couplings.
TEST(SegmentPlan, JoinsNoMoreBodiesWhereTheMechanismIsLarge) {
  ModelSpec spec = mechanisms::chain(2400);
  for (std::size_t i = 0; i + 1 < spec.joints.size(); i += 2) {
    spec.couplings.push_back(gear(spec.joints[i + 1], spec.joints[i]));
  }
  const Planned p(spec);

  EXPECT_LT(p.model.generic_rank().all, 0) << "not known";
  EXPECT_TRUE(p.plan.couplings_apart.empty());
  EXPECT_EQ(p.largest_segment(), 2U);
}

TEST(SegmentPlan, HoldsEveryCouplingOnceWithItsCoordinates) {
  int coupled = 0;
  int closing = 0;
  for (const ModelSpec& spec : segments_samples()) {
    const Planned p(spec);
    if (p.model.couplings().empty()) continue;

    std::multiset<int> couplings(p.plan.couplings_apart.begin(), p.plan.couplings_apart.end());
    for (const Segment& segment : p.plan.segments) {
      for (const SegmentCoupling& own : segment.couplings) {
        const Coupling& coupling = p.model.couplings()[at(own.index)];
        couplings.insert(own.index);
        const auto speed = [&](int place) { return p.graph.slot_speed[at(segment.slots[at(place)])]; };
        if (own.dependent >= 0) {
          EXPECT_EQ(speed(own.dependent), coupling.v_dependent) << spec.name;
        }
        if (own.of >= 0) {
          EXPECT_EQ(speed(own.of), coupling.v_of) << spec.name;
        }
        EXPECT_TRUE(own.dependent >= 0 || own.of >= 0) << spec.name;
        for (const int place : {own.dependent, own.of}) {
          closing += place >= 0 && segment.slot_body[at(place)] < 0 ? 1 : 0;
        }
      }
    }
    EXPECT_EQ(couplings.size(), p.model.couplings().size()) << spec.name;
    ++coupled;
  }
  EXPECT_GT(coupled, 5);
  EXPECT_GT(closing, 0) << "a joint that closes a loop in the plan";
}

TEST(SegmentPlan, LeavesCouplingsApartThatWouldJoinAWholeChain) {
  ModelSpec spec = mechanisms::chain(60);
  spec.couplings.push_back(gear(spec.joints.back(), spec.joints.front()));

  EXPECT_EQ(Planned(spec).plan.couplings_apart.size(), 1U);
}

TEST(SegmentPlan, KeepsTheCouplingsThatAreSmallBesideALargeOne) {
  ModelSpec spec = mechanisms::chain(60);
  for (std::size_t i = 0; i + 1 < spec.joints.size(); i += 2) {
    spec.couplings.push_back(gear(spec.joints[i + 1], spec.joints[i]));
  }
  spec.couplings.push_back(gear(spec.joints[40], spec.joints[0]));
  const Planned p(spec);

  ASSERT_EQ(p.plan.couplings_apart.size(), 1U);
  EXPECT_EQ(p.plan.couplings_apart[0], 30);
  EXPECT_EQ(p.largest_segment(), 2U);
}

// Each joint is geared to the next: all of them together would be one segment.
TEST(SegmentPlan, CutsALongTrainOfGearsIntoPieces) {
  ModelSpec spec = mechanisms::chain(60);
  for (std::size_t i = 0; i + 1 < spec.joints.size(); ++i) {
    spec.couplings.push_back(gear(spec.joints[i + 1], spec.joints[i]));
  }
  const Planned p(spec);

  EXPECT_EQ(p.plan.couplings_apart.size(), 3U);
  EXPECT_EQ(p.largest_segment(), 15U);
}

}  // namespace
}  // namespace kinloop
