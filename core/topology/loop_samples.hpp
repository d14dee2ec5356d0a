// Owns the loops of a mechanism at sample_positions().
#pragma once

#include <vector>

#include "core/base/indexed_vector.hpp"
#include "core/topology/graph_motion.hpp"

namespace kinloop {

/// The mechanism at one state. Away from the initial one loops are torn open; they are then seen from their tips.
struct LoopSample {
  GraphMotion motion;
  IndexedVector<Mat3> R;  // per body, as in BodyMotion
};

IndexedVector<LoopSample> loop_samples(const Model& model, const LoopGraph& graph);

/// Bodies of the loop of a closing, tip first, without its base.
IndexedVector<int> path_to_base(const LoopGraph& graph, const GraphClosing& closing);

/// The loop of a closing at one state: columns at the closing point, those of the closing joint first, then inward.
struct LoopColumns {
  IndexedVector<SpatialVector> columns;
  std::size_t of_closing = 0;              // columns of the closing joint
  IndexedVector<std::size_t> end_of_body;  // columns up to and including those of body i of the path
};

LoopColumns loop_columns(const LoopGraph& graph, const GraphMotion& motion, std::size_t closing,
                         const IndexedVector<int>& path);

}  // namespace kinloop
