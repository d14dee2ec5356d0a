// Tests which rows of the closing joints count: as many as the loop can ever move, in whatever axes it stands.
#include "core/topology/reduced_loop_rows.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include "core/kinematics/forward_kinematics.hpp"
#include "core/kinematics/loop_constraints.hpp"
#include "tests/support/linkages.hpp"

namespace kinloop {
namespace {

struct Rows {
  explicit Rows(const ModelSpec& spec)
      : model(mechanisms::compiled(spec)),
        graph(model),
        samples(loop_samples(model, graph)),
        rows(model, graph, samples) {}

  Model model;
  LoopGraph graph;
  IndexedVector<LoopSample> samples;
  ReducedLoopRows rows;
};

ModelSpec rotated(const ModelSpec& spec) {
  Pose X;
  X.R = Eigen::AngleAxisd(1.1, Vector3(0.3, -0.5, 0.8).normalized()).toRotationMatrix();
  X.p = Vector3(3.0, -7.0, 2.0);
  return mechanisms::placed(spec, X);
}

TEST(ReducedLoopRows, ALoopInAPlaneKeepsTwoHoweverItIsTurned) {
  for (const ModelSpec& spec : {mechanisms::four_bar(), rotated(mechanisms::four_bar()),
                                mechanisms::n_four_bar(4, 1.0, 0.0), rotated(mechanisms::n_four_bar(4, 0.0, 0.0))}) {
    const Rows r(spec);

    for (std::size_t c = 0; c < r.graph.closings.size(); ++c) {
      EXPECT_FALSE(r.rows.keeps_coordinates(c));
      EXPECT_EQ(r.rows.of(c).size(), 2U) << spec.name;
    }
  }
}

TEST(ReducedLoopRows, ALoopInSpaceKeepsAll) {
  const Rows r(mechanisms::config("stewart_platform"));

  for (std::size_t c = 0; c < r.graph.closings.size(); ++c) {
    const GraphEdge& edge = r.graph.edges[static_cast<std::size_t>(r.graph.closings[c].edge)];
    const int blocked = r.rows.keeps_coordinates(c) ? 6 : 6 - edge.slots;
    EXPECT_EQ(static_cast<int>(r.rows.of(c).size()), blocked);
  }
}

TEST(ReducedLoopRows, DoNotMoveWithTheJointsOwnCoordinates) {
  for (int i = 0; i < 60; ++i) {
    mechanisms::LinkageOptions options;
    options.loops = 1 + i % 4;
    Rows r(mechanisms::random_linkage(static_cast<std::uint64_t>(900 + i), 4 + i % 9, options));
    Workspace ws(r.model);
    const VectorX at_rest = VectorX::Zero(r.model.nv());
    update_kinematics(r.model, r.model.initial_q().data(), at_rest.data(), 0.0, ws);
    update_loop_constraints(r.model, r.model.initial_q().data(), at_rest.data(), 0.0, ws);
    GraphMotion motion(r.model, r.graph);
    motion.update(r.graph, ws);
    r.rows.update(ws);

    for (std::size_t c = 0; c < r.graph.closings.size(); ++c) {
      if (r.rows.keeps_coordinates(c)) continue;
      const GraphEdge& edge = r.graph.edges[static_cast<std::size_t>(r.graph.closings[c].edge)];
      for (const SpatialVector& row : r.rows.of(c)) {
        for (int j = edge.first_slot; j < edge.first_slot + edge.slots; ++j) {
          EXPECT_NEAR(dot(row, motion.column[static_cast<std::size_t>(j)]), 0.0, 1e-12);
        }
      }
    }
  }
}

}  // namespace
}  // namespace kinloop
