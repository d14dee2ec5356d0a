// Turns the columns of the file's joints into those of the depth-first tree.
#include "core/topology/graph_motion.hpp"

#include "core/base/at.hpp"

namespace kinloop {
GraphMotion::GraphMotion(const Model& model, const LoopGraph& graph)
    : r(at(model.body_count())),
      column(at(graph.slot_count())),
      tip_arm(graph.closings.size()),
      base_arm(graph.closings.size()),
      bias_arm(at(model.body_count())) {}

void GraphMotion::update(const LoopGraph& graph, const Workspace& ws) noexcept {
  for (const int b : graph.order) {
    const GraphBody& body = graph.bodies[b];
    const GraphEdge& edge = graph.edges[body.edge];
    const bool forward = body.sign > 0.0;
    if (edge.joint >= 0) {
      const Vec3& along = ws.motion[at(edge.joint)].r;
      r[b] = forward ? along : -along;
      for (int j = edge.first_slot; j < edge.first_slot + edge.slots; ++j) {
        const auto s = at(graph.slot_speed[j]);
        const SpatialVector H{ws.Hw[s], ws.Hv[s]};
        column[j] = forward ? H : -shift_motion(H, -along);
      }
      continue;
    }
    const LoopConstraint& closure = ws.loop_constraint[at(edge.loop)];
    const Vec3 between = closure.arm_pred - closure.arm_succ;
    r[b] = forward ? between : -between;
    bias_arm[b] = forward ? -closure.arm_succ : -closure.arm_pred;
    for (int j = 0; j < edge.slots; ++j) {
      column[edge.first_slot + j] = body.sign * shift_motion(closure.H(j), bias_arm[b]);
    }
  }
  for (int c = 0; c < graph.closings.count(); ++c) {
    const GraphClosing& closing = graph.closings[c];
    const GraphEdge& edge = graph.edges[closing.edge];
    const bool forward = closing.sign > 0.0;
    const Vec3 arm_succ = edge.joint >= 0 ? Vec3() : ws.loop_constraint[at(edge.loop)].arm_succ;
    const Vec3 arm_pred = edge.joint >= 0 ? ws.motion[at(edge.joint)].r : ws.loop_constraint[at(edge.loop)].arm_pred;
    tip_arm[c] = forward ? arm_succ : arm_pred;
    base_arm[c] = forward ? arm_pred : arm_succ;
    for (int j = 0; j < edge.slots; ++j) {
      const int slot = edge.first_slot + j;
      const int speed = graph.slot_speed[slot];
      const SpatialVector H =
          speed >= 0 ? SpatialVector{ws.Hw[at(speed)], ws.Hv[at(speed)]} : ws.loop_constraint[at(edge.loop)].H(j);
      column[slot] = closing.sign * H;
    }
  }
}

}  // namespace kinloop
