// Owns RcrRows: the rows of closing joints in the algebra of a recursion.
#pragma once

#include <span>

#include "core/base/at.hpp"
#include "core/base/indexed_vector.hpp"
#include "core/kinematics/motion_view.hpp"
#include "core/topology/reduced_loop_rows.hpp"

namespace kinloop {

template <class Algebra>
class RcrRows;

template <>
class RcrRows<SpatialAlgebra> : public ReducedLoopRows {
 public:
  using ReducedLoopRows::ReducedLoopRows;

  void update(const SpatialView& view) noexcept { ReducedLoopRows::update(view.workspace()); }
};

/// The rows that are left of a loop in the plane lie in it: what is dropped is rounding, or moves nothing.
template <>
class RcrRows<PlanarAlgebra> : public ReducedLoopRows {
 public:
  RcrRows(const Model& model, const LoopGraph& graph, const IndexedVector<LoopSample>& samples)
      : ReducedLoopRows(model, graph, samples) {
    first_.push_back(0);
    for (int c = 0; c < graph.closings.count(); ++c)
      first_.push_back(first_.back() + ReducedLoopRows::of(at(c)).size());
    rows_.resize(first_.back());
  }

  void update(const PlanarView& view) noexcept {
    ReducedLoopRows::update(view.workspace());
    for (std::size_t c = 0; c + 1 < first_.size(); ++c) {
      std::size_t r = first_[c];
      for (const SpatialVector& row : ReducedLoopRows::of(c)) rows_[r++] = view.of(row);
    }
  }

  std::span<const PlanarVector> of(std::size_t closing) const noexcept {
    return {rows_.data() + first_[closing], first_[closing + 1] - first_[closing]};
  }

 private:
  IndexedVector<std::size_t> first_;  // per closing, and one more
  IndexedVector<PlanarVector> rows_;
};

}  // namespace kinloop
