// Turns the columns of the file's joints into those of the depth-first tree.
#include "core/topology/graph_motion.hpp"

#include <type_traits>

#include "core/base/at.hpp"

namespace kinloop {

template <class Algebra>
BasicGraphMotion<Algebra>::BasicGraphMotion(const Model& model, const LoopGraph& graph)
    : r(at(model.body_count())),
      column(at(graph.slot_count())),
      tip_arm(graph.closings.size()),
      base_arm(graph.closings.size()),
      bias_arm(at(model.body_count())) {}

template <class Algebra>
void BasicGraphMotion<Algebra>::update(const LoopGraph& graph, const typename Algebra::View& view) noexcept {
  for (const int b : graph.order) {
    const GraphBody& body = graph.bodies[b];
    const GraphEdge& edge = graph.edges[body.edge];
    const bool forward = body.sign > 0.0;
    if (edge.joint >= 0) {
      const Arm along = view.arm(edge.joint);
      r[b] = forward ? along : -along;
      for (int j = edge.first_slot; j < edge.first_slot + edge.slots; ++j) {
        const Vector H = view.column(graph.slot_speed[j]);
        column[j] = forward ? H : -shift_motion(H, -along);
      }
      continue;
    }
    const Arm arm_pred = view.arm_pred(edge.loop);
    const Arm arm_succ = view.arm_succ(edge.loop);
    const Arm between = arm_pred - arm_succ;
    r[b] = forward ? between : -between;
    bias_arm[b] = forward ? -arm_succ : -arm_pred;
    for (int j = 0; j < edge.slots; ++j) {
      column[edge.first_slot + j] = body.sign * shift_motion(view.H(edge.loop, j), bias_arm[b]);
    }
  }
  for (int c = 0; c < graph.closings.count(); ++c) {
    const GraphClosing& closing = graph.closings[c];
    const GraphEdge& edge = graph.edges[closing.edge];
    const bool forward = closing.sign > 0.0;
    const Arm arm_succ = edge.joint >= 0 ? Arm() : view.arm_succ(edge.loop);
    const Arm arm_pred = edge.joint >= 0 ? view.arm(edge.joint) : view.arm_pred(edge.loop);
    tip_arm[c] = forward ? arm_succ : arm_pred;
    base_arm[c] = forward ? arm_pred : arm_succ;
    for (int j = 0; j < edge.slots; ++j) {
      const int slot = edge.first_slot + j;
      const int speed = graph.slot_speed[slot];
      // Closing joints of the file have no coordinates; their columns are read at start-up only, in space.
      if constexpr (std::is_same_v<Algebra, PlanarAlgebra>) {
        if (speed < 0) continue;
      }
      column[slot] = closing.sign * (speed >= 0 ? view.column(speed) : view.H(edge.loop, j));
    }
  }
}

template struct BasicGraphMotion<SpatialAlgebra>;
template struct BasicGraphMotion<PlanarAlgebra>;

}  // namespace kinloop
