// Evaluates the columns of every loop.
#include "core/topology/loop_samples.hpp"

#include "core/base/at.hpp"
#include "core/constraints/sample_positions.hpp"
#include "core/kinematics/forward_kinematics.hpp"
#include "core/kinematics/loop_constraints.hpp"

namespace kinloop {
namespace {

void see_from_tips(const Model& model, const LoopGraph& graph, LoopSample& sample) {
  for (int c = 0; c < graph.closings.count(); ++c) {
    const GraphClosing& closing = graph.closings[c];
    const int l = graph.edges[closing.edge].loop;
    if (l < 0 || closing.sign > 0.0) continue;
    sample.motion.tip_arm[c] = sample.R[closing.tip] * model.loops()[l].p_PA;
  }
}

}  // namespace

IndexedVector<LoopSample> loop_samples(const Model& model, const LoopGraph& graph) {
  IndexedVector<LoopSample> samples;
  if (graph.closings.empty()) return samples;
  Workspace ws(model);
  const VectorX at_rest = VectorX::Zero(model.nv());
  for (const VectorX& q : sample_positions(model)) {
    update_kinematics(model, q.data(), at_rest.data(), 0.0, ws);
    update_loop_constraints(model, q.data(), at_rest.data(), 0.0, ws);
    LoopSample& sample = samples.emplace_back(LoopSample{GraphMotion(model, graph), {}});
    sample.motion.update(graph, ws);
    for (const BodyMotion& body : ws.motion) sample.R.push_back(body.R);
    see_from_tips(model, graph, sample);
  }
  return samples;
}

IndexedVector<int> path_to_base(const LoopGraph& graph, const GraphClosing& closing) {
  IndexedVector<int> path;
  for (int b = closing.tip; b != closing.base; b = graph.bodies[b].parent) path.push_back(b);
  return path;
}

LoopColumns loop_columns(const LoopGraph& graph, const GraphMotion& motion, std::size_t closing,
                         const IndexedVector<int>& path) {
  LoopColumns loop;
  const GraphEdge& own = graph.edges[graph.closings[closing].edge];
  for (int j = own.first_slot; j < own.first_slot + own.slots; ++j) loop.columns.push_back(motion.column[j]);
  loop.of_closing = loop.columns.size();
  Vec3 arm = motion.tip_arm[closing];
  for (const int b : path) {
    const GraphEdge& edge = graph.edges[graph.bodies[b].edge];
    for (int j = edge.first_slot; j < edge.first_slot + edge.slots; ++j) {
      loop.columns.push_back(shift_motion(motion.column[j], arm));
    }
    loop.end_of_body.push_back(loop.columns.size());
    arm += motion.r[b];
  }
  return loop;
}

}  // namespace kinloop
