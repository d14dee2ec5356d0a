// Owns LoopGraph: the mechanism as a graph of bodies and joints, with a spanning tree of its own.
//
// The tree of the file says where coordinates live; it may cut loops anywhere. Recursions over closed loops want a tree
// grown depth first (docs/theory/rcr.md §2): every joint left over then leads from a body to an ancestor, and loops
// lie behind each other on one path. Joints may be passed against their direction, closing joints may become part of
// the tree, and joints of the file's tree may become closing ones. Coordinates stay as they are.
#pragma once

#include <vector>

#include "core/base/indexed_vector.hpp"
#include "core/model/model.hpp"

namespace kinloop {

/// A joint of the tree or a closing joint.
struct GraphEdge {
  int joint = -1;  // body it leads to in the file's tree, or -1
  int loop = -1;   // index of the closing joint, or -1
  int pred = 0, succ = 0;
  int first_slot = 0, slots = 0;  // its free coordinates
};

/// How a body hangs in the depth-first tree.
struct GraphBody {
  int parent = -1;
  int edge = -1;
  double sign = 1.0;  // +1: the body is the successor of its edge
  int depth = 0;
};

/// A joint left over: it leads from a body to one of its ancestors.
struct GraphClosing {
  int edge = -1;
  int tip = 0, base = 0;
  double sign = 1.0;  // +1: the tip is the successor
};

/// In which order the search looks at the joints of a body: other orders open loops elsewhere.
enum class SearchOrder { kForward, kBackward };

struct LoopGraph {
  explicit LoopGraph(const Model& model, SearchOrder search = SearchOrder::kForward);

  IndexedVector<GraphEdge> edges;
  IndexedVector<GraphBody> bodies;
  IndexedVector<GraphClosing> closings;  // in the order in which the search met them
  IndexedVector<int> order;              // bodies, parents first, without the ground
  IndexedVector<int> slot_speed;         // coordinate -> index into v, or -1 where it belongs to a closing joint
  IndexedVector<int> slot_edge;

  int slot_count() const noexcept { return slot_speed.count(); }
};

}  // namespace kinloop
