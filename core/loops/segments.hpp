// Owns the plan of a recursion over closed loops: which bodies are solved together, in which order.
//
// Every closing needs dependent coordinates. They are taken from the end of its loop, its tail: the bodies from the
// closing joint inward until their columns span what the loop can span (000 §3; where the last coordinates are no valid
// set, the tail grows beyond them, 000 §4). Tails of different loops that share bodies are solved together. A segment
// is one tail, several such, or a single body. Seen from a segment, the rest of the mechanism is the body its top hangs
// on and the bases of its loops: its externals (000 §5).
#pragma once

#include <vector>

#include "core/loops/graph_motion.hpp"

namespace kinloop {

struct Segment {
  int parent = 0;               // body its top hangs on
  std::vector<int> bodies;      // top first, parents before children
  std::vector<int> parent_in;   // per body: place of its parent in this segment, -1 for the top
  std::vector<int> slots;       // coordinates: of the bodies, then of the closings
  std::vector<int> slot_body;   // per slot: place of the body it moves, -1 for a closing's
  std::vector<int> first_slot;  // per body: place of its first slot; one more at the end
  std::vector<int> closings;    // indices into LoopGraph::closings
  std::vector<int> externals;   // parent first, then bases; ancestors of the top, never the ground
};

/// An inertia that couples a body with one of its ancestors, as an open loop leaves it behind.
struct CrossBlock {
  int body = 0;  // the deeper
  int ancestor = 0;
};

struct SegmentPlan {
  /// Judges columns at the model's initial state and at states around it, so that a singular start does not mislead.
  SegmentPlan(const Model& model, const LoopGraph& graph);

  std::vector<Segment> segments;  // in the order of elimination: leaves first
  std::vector<CrossBlock> blocks;

  /// Index into blocks, or -1.
  int block(int body, int ancestor) const noexcept;
  /// Indices of all blocks of a body with its ancestors.
  const std::vector<int>& blocks_of(int body) const noexcept { return blocks_of_[static_cast<std::size_t>(body)]; }

 private:
  void choose_tails(const Model& model, const LoopGraph& graph);
  /// Loops whose tails share bodies compete for their coordinates: what each tail spans alone, all may not span
  /// together. Adds a body to one that lacks it; false where nothing is left to add.
  bool widen_tails(const LoopGraph& graph, const std::vector<GraphMotion>& samples,
                   const std::vector<std::vector<int>>& paths, double length_m);
  void make_segments(const LoopGraph& graph);
  void find_externals(const LoopGraph& graph);

  std::vector<std::vector<int>> tails_;      // per closing: its bodies, tip first
  std::vector<std::vector<int>> blocks_of_;  // per body: indices into blocks
};

}  // namespace kinloop
