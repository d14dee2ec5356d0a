// Owns the plan of a recursion over closed loops: which bodies are solved together, in which order.
//
// Every closing needs dependent coordinates. They are taken from the end of its loop, its tail: the bodies from the
// closing joint inward until their columns span what the loop can span (000 §3; where the last coordinates are no valid
// set, the tail grows beyond them, 000 §4). Tails of different loops that share bodies are solved together. A segment
// is one tail, several such, or a single body. A coupling joins the bodies between its two joints likewise; one of a
// joint that closes a loop here, the tail of that loop. Seen from a segment, the rest of the mechanism is the body its
// top hangs on and the bases of its loops: its boundary bodies (000 §5).
//
// A short tail that is good in most positions is singular in some: two rods at its end in line, say. Then the plan with
// whole tails has dependents elsewhere on the loops.
#pragma once

#include <vector>

#include "core/base/indexed_vector.hpp"
#include "core/topology/reduced_loop_rows.hpp"

namespace kinloop {

/// A closing as its segment sees it. Places are positions in the segment's lists, -1: elsewhere.
struct SegmentClosing {
  int index = 0;           // into LoopGraph::closings
  int tip = 0, base = -1;  // places of the bodies
  int base_boundary = -1;  // place of the base among the boundary bodies
  bool relative = false;   // the base is inside or the parent: what moves the parent moves tip and base alike
  int first_slot = 0;      // of its own coordinates, where they are unknowns
  int slots = 0;
  int loop = -1;      // the closing joint of the file, where it is one
  double sign = 1.0;  // +1: the tip is its successor
};

/// A coupling whose two coordinates are unknowns of the segment; -1 stands for one that is driven.
struct SegmentCoupling {
  int index = 0;  // into Model::couplings
  int dependent = -1, of = -1;
  double ratio = 1.0;
};

/// An inertia between a body of the segment and an ancestor, left by a loop further out.
struct SegmentCross {
  int place = 0;       // of the body
  int block = 0;       // into SegmentPlan::blocks
  int inside = -1;     // place of the ancestor
  int boundary = -1;   // its place among the boundary bodies
  int handed_on = -1;  // block between the parent and that boundary
};

/// Two boundary bodies, and the block that couples them.
struct BoundaryPair {
  int deep = 0, shallow = 0;
  int block = 0;
};

struct Segment {
  int parent = 0;                 // body its top hangs on; its tops, where a coupling joins branches
  IndexedVector<int> bodies;      // top first, parents before children
  IndexedVector<int> parent_in;   // per body: place of its parent in this segment, -1 for a top
  IndexedVector<int> slots;       // coordinates: of the bodies, then those of closings that are unknowns
  IndexedVector<int> slot_body;   // per slot: place of the body it moves, -1 for a closing's
  IndexedVector<int> first_slot;  // per body: place of its first slot; one more at the end
  IndexedVector<SegmentClosing> closings;
  IndexedVector<SegmentCoupling> couplings;
  IndexedVector<int> boundary;  // parent first, then bases; ancestors of the top, never the ground
  IndexedVector<SegmentCross> crosses;
  IndexedVector<BoundaryPair> pairs;
};

/// An inertia that couples a body with one of its ancestors, as an open loop leaves it behind.
struct CrossBlock {
  int body = 0;  // the deeper
  int ancestor = 0;
};

/// From which bodies of its loop a closing may take its dependents.
enum class Tails {
  kShort,  // those at its end, which nearly always suffice
  kWhole,  // all: loops that share a body are solved together, and pivoting chooses among all their coordinates
};

struct SegmentPlan {
  /// Where there is a first plan, its couplings are rows here, and no others.
  SegmentPlan(const Model& model, const LoopGraph& graph, const IndexedVector<LoopSample>& samples,
              const ReducedLoopRows& rows, Tails tails, const SegmentPlan* first = nullptr);

  IndexedVector<Segment> segments;  // in the order of elimination: leaves first
  IndexedVector<CrossBlock> blocks;
  /// Couplings that are no rows of segments, since they would join more than a few coordinates.
  IndexedVector<int> couplings_apart;

 private:
  /// Index into blocks, or -1.
  int block(int body, int ancestor) const noexcept;
  void choose_short_tails(const Model& model, const LoopGraph& graph, const IndexedVector<LoopSample>& samples);
  /// Loops whose tails share bodies compete for their coordinates: what each tail spans alone, all may not span
  /// together. Adds a body to one that lacks it; false where nothing is left to add.
  bool widen_tails(const LoopGraph& graph, const IndexedVector<LoopSample>& samples,
                   const IndexedVector<IndexedVector<int>>& paths, double length_m);
  void choose_coupling_tails(const Model& model, const LoopGraph& graph);
  void make_segments(const Model& model, const LoopGraph& graph, const ReducedLoopRows& rows);
  void add_couplings(const Model& model, const LoopGraph& graph);
  /// One coupling of every segment that is too large becomes no row; false where there is none.
  bool set_one_apart_each();
  void find_boundaries(const LoopGraph& graph);
  void add_crosses(std::size_t place, Segment& segment) const;

  IndexedVector<IndexedVector<int>> tails_;           // per closing: its bodies, tip first
  IndexedVector<IndexedVector<int>> coupling_tails_;  // per coupling: those between its two joints; none if no row
  IndexedVector<IndexedVector<int>> blocks_of_;       // per body: indices into blocks
};

}  // namespace kinloop
