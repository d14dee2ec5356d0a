// Owns GraphMotion: the motion columns of all joints along the depth-first tree of a LoopGraph, in world axes or in
// those of a plane.
#pragma once

#include "core/base/indexed_vector.hpp"
#include "core/constraints/constraints.hpp"
#include "core/kinematics/motion_view.hpp"
#include "core/topology/loop_graph.hpp"

namespace kinloop {

template <class Algebra>
struct BasicGraphMotion {
  using Vector = typename Algebra::Vector;
  using Arm = typename Algebra::Arm;

  BasicGraphMotion(const Model& model, const LoopGraph& graph);

  /// From the motion of the workspace; needs update_loop_constraints(). No allocation.
  void update(const LoopGraph& graph, const typename Algebra::View& view) noexcept;

  IndexedVector<Arm> r;                  // body: x_b - x_parent
  IndexedVector<Vector> column;          // slot: what a unit of the coordinate moves the child against its parent, at
                                         // x_b; or the tip against the base, at the closing point
  IndexedVector<Arm> tip_arm, base_arm;  // closing: from x_tip and x_base to the closing point, the origin of frame B
  IndexedVector<Arm> bias_arm;           // body on a closing joint: from the origin of frame B to x_b
};

extern template struct BasicGraphMotion<SpatialAlgebra>;
extern template struct BasicGraphMotion<PlanarAlgebra>;

using GraphMotion = BasicGraphMotion<SpatialAlgebra>;

}  // namespace kinloop
