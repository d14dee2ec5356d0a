// Owns the search for short cycles in the graph of bodies and joints.
//
// The tree of the file may cut a mechanism anywhere, so that the way through the tree from one end of a closing joint
// to the other may be long where a short one leads through other closing joints: the windows of an N-four-bar.
#pragma once

#include <vector>

#include "core/base/indexed_vector.hpp"
#include "core/model/model.hpp"

namespace kinloop {

enum class PassDirection { kToSuccessor, kToPredecessor };

/// A joint on the way: one of the tree, named by the body it leads to, or a closing one.
struct JointPass {
  int joint = -1;
  int loop = -1;
  PassDirection direction = PassDirection::kToSuccessor;
};

/// Joints in the order in which the cycle passes them.
using JointCycle = IndexedVector<JointPass>;

/// Dofs of a joint that may stay in a plane: fixed 0, revolute and prismatic 1, pin_slot 2; -1 for all others.
int planar_dofs(JointType type) noexcept;

JointType type_of(const Model& model, const JointPass& pass) noexcept;

/// The bodies a pass comes from and leads to.
struct PassEnds {
  int from = 0, to = 0;
};
PassEnds ends_of(const Model& model, const JointPass& pass) noexcept;

class JointCycles {
 public:
  explicit JointCycles(const Model& model);

  /// Simple cycles of `dofs` planar dofs in all that start with the given closing joint. Other closing joints
  /// are passed only where `usable`; those that stood in the way are added to `blocked_by`.
  IndexedVector<JointCycle> through(int loop, int dofs, const IndexedVector<char>& usable,
                                    IndexedVector<int>& blocked_by) const;

  /// Joints between a body and the ground, by the shortest way.
  int distance(int body) const noexcept { return distance_[body]; }

 private:
  struct Search;
  void extend(Search& search, int body, int dofs) const;

  const Model& model_;
  IndexedVector<IndexedVector<JointPass>> joints_of_;  // per body: the ways out of it
  IndexedVector<int> distance_;
};

}  // namespace kinloop
