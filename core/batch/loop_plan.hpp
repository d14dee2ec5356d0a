// Owns LoopPlan: which speeds move which loop, and which of its rows count, found once for a model.
#pragma once

#include <string>

#include "core/base/indexed_vector.hpp"
#include "core/base/result.hpp"
#include "core/dynamics/loops/dof_tree.hpp"
#include "core/model/model.hpp"

namespace kinloop::batch {

/// A direction that a closing joint blocks, in the axes of A.
struct PlannedRow {
  Vec3 angular, linear;  // one of them is zero
  bool turns = false;    // the angular one is not
  int row = -1;          // among the rows that are solved; -1: it follows from them
};

/// One of the two ways from a closing joint to the body that both ways meet at.
struct PlannedStep {
  int body = 0;
  int first_node = 0, nodes = 0;  // of the dof tree
};

struct PlannedLoop {
  int index = 0;
  IndexedVector<PlannedRow> rows;
  IndexedVector<PlannedStep> from_succ, from_pred;  // outermost first
  IndexedVector<int> support;  // nodes whose forces answer to its rows: what moves it, and all inboard of that; falling
};

struct PlannedCoupling {
  int index = 0;
  int row = -1;
  int dependent = -1, of = -1;  // nodes; -1: driven
  IndexedVector<int> support;
};

struct LoopPlan {
  /// Errors say why lanes cannot treat the model's loops.
  static Result<LoopPlan> make(const Model& model);

  explicit LoopPlan(const Model& model);

  DofTree tree;
  IndexedVector<IndexedVector<int>> inboard;  // of each node: its parent, that one's parent, ...
  IndexedVector<PlannedLoop> loops;
  IndexedVector<PlannedCoupling> couplings;
  int rows = 0;                               // that are solved
  IndexedVector<int> group;                   // of a row: its loop, couplings behind the loops
  IndexedVector<IndexedVector<int>> common;   // of groups a >= b, at a (a + 1) / 2 + b: the nodes of both supports
  IndexedVector<IndexedVector<int>> rows_of;  // of a group: neighbours
};

}  // namespace kinloop::batch
