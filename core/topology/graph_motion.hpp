// Owns GraphMotion: the motion columns of all joints along the depth-first tree of a LoopGraph, in world axes.
#pragma once

#include "core/base/indexed_vector.hpp"
#include "core/constraints/constraints.hpp"
#include "core/topology/loop_graph.hpp"

namespace kinloop {

struct GraphMotion {
  GraphMotion(const Model& model, const LoopGraph& graph);

  /// From the motion of the workspace; needs update_loop_constraints(). No allocation.
  void update(const LoopGraph& graph, const Workspace& ws) noexcept;

  IndexedVector<Vec3> r;                  // body: x_b - x_parent
  IndexedVector<SpatialVector> column;    // slot: what a unit of the coordinate moves the child against its parent, at
                                          // x_b; or the tip against the base, at the closing point
  IndexedVector<Vec3> tip_arm, base_arm;  // closing: from x_tip and x_base to the closing point, the origin of frame B
  IndexedVector<Vec3> bias_arm;           // body on a closing joint: from the origin of frame B to x_b
};

}  // namespace kinloop
