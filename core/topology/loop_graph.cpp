// Grows the tree with a stack of its own: chains of thousands of bodies are ordinary.
#include "core/topology/loop_graph.hpp"

#include <algorithm>

#include "core/base/at.hpp"

namespace kinloop {
namespace {

/// Bodies on the way, each with the next of its joints to look at.
struct Visit {
  int body;
  std::size_t next;
};

}  // namespace

LoopGraph::LoopGraph(const Model& model, SearchOrder search) : bodies(at(model.body_count())) {
  for (int k = 1; k < model.body_count(); ++k) {
    GraphEdge edge{k, -1, model.body(k).parent, k, slot_count(), 0};
    for (int i = model.body(k).v; i < model.body(k).v + model.body(k).nv; ++i) {
      if (model.coordinate(i).motion >= 0) continue;
      slot_speed.push_back(i);
      slot_edge.push_back(edges.count());
      ++edge.slots;
    }
    edges.push_back(edge);
  }
  for (std::size_t l = 0; l < model.loops().size(); ++l) {
    const LoopJoint& loop = model.loops()[l];
    GraphEdge edge{-1, static_cast<int>(l), loop.predecessor, loop.successor, slot_count(), loop.directions->dofs};
    slot_speed.insert(slot_speed.end(), at(edge.slots), -1);
    slot_edge.insert(slot_edge.end(), at(edge.slots), edges.count());
    edges.push_back(edge);
  }

  IndexedVector<IndexedVector<int>> joints_of(bodies.size());
  for (int e = 0; e < edges.count(); ++e) {
    joints_of[edges[e].pred].push_back(e);
    joints_of[edges[e].succ].push_back(e);
  }
  if (search == SearchOrder::kBackward) {
    for (IndexedVector<int>& joints : joints_of) std::reverse(joints.begin(), joints.end());
  }
  IndexedVector<char> body_seen(bodies.size(), 0);
  IndexedVector<char> edge_used(edges.size(), 0);
  IndexedVector<Visit> stack{{0, 0}};
  body_seen[0] = 1;
  while (!stack.empty()) {
    Visit& visit = stack.back();
    const IndexedVector<int>& joints = joints_of[visit.body];
    if (visit.next == joints.size()) {
      stack.pop_back();
      continue;
    }
    const int body = visit.body;
    const int e = joints[visit.next++];
    if (edge_used[e] != 0) continue;
    edge_used[e] = 1;
    const GraphEdge& edge = edges[e];
    const int other = edge.pred == body ? edge.succ : edge.pred;
    if (body_seen[other] != 0) {
      closings.push_back({e, body, other, edge.succ == body ? 1.0 : -1.0});
      continue;
    }
    body_seen[other] = 1;
    bodies[other] = {body, e, edge.succ == other ? 1.0 : -1.0, bodies[body].depth + 1};
    order.push_back(other);
    stack.push_back({other, 0});
  }
}

}  // namespace kinloop
