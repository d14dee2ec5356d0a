// Owns the cost model by which `auto` chooses among the formulations of closed loops.
#pragma once

#include "core/model/model.hpp"

namespace kinloop {

/// Nanoseconds a forward dynamics, fitted to measurements on one machine: what counts is which one is less. Over
/// single four-bars to chains of twenty, loops of a hundred rods, ladders, lattices of 20 meshes, a hexapod, a
/// suspension and hydraulic arms the faster method was picked wherever they differed by more than a tenth, and the
/// estimate was right to a factor of 1.7.
struct LoopCost {
  double rcr_ns = 0.0;
  double semi_recursive_2_ns = 0.0;

  /// An evaluation whose answer is given up and asked of the other: what a deadline has to leave room for.
  double with_fallback_ns() const noexcept { return rcr_ns + semi_recursive_2_ns; }
};

LoopCost estimate_loop_cost(const Model& model);

}  // namespace kinloop
