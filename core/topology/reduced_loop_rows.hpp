// Owns ReducedLoopRows: what the closing joints of a LoopGraph ask, as rows over relative motions.
//
// A row takes a number from a relative motion of tip against base at the closing point; closing joints ask that it be
// given. A joint blocks 6 - d directions. One that belongs to the file's tree has coordinates of its own besides:
// forces along them act on tip and base, and the accelerations of both tell theirs. Only where they have inertia of
// their own, belong to a coupling, or have columns that are not orthonormal, all six directions are rows and the
// coordinates stay unknowns. Rows
// that no coordinate of the loop ever moves are left out, whatever the axes: a loop that lies in a plane keeps two of
// five without being told.
#pragma once

#include <span>
#include <vector>

#include "core/base/indexed_vector.hpp"
#include "core/topology/loop_samples.hpp"

namespace kinloop {

class ReducedLoopRows {
 public:
  ReducedLoopRows(const Model& model, const LoopGraph& graph, const IndexedVector<LoopSample>& samples);

  /// From the motion of the workspace; needs update_loop_constraints(). No allocation.
  void update(const Workspace& ws) noexcept;

  /// World axes, at the closing point, for the motion of the tip against the base; [w; v / L] of size 1 with the
  /// length of the loop.
  std::span<const SpatialVector> of(std::size_t closing) const noexcept {
    const Place& place = places_[closing];
    return {rows_.data() + place.first, place.count};
  }
  /// The directions left out: the closing joint blocks them, and no coordinate of the loop ever moves them, so that no
  /// force along them does work. In the axes of pred(), of size 1 as the others.
  std::span<const SpatialVector> unmoved(std::size_t closing) const noexcept {
    const Place& place = places_[closing];
    return {unmoved_in_pred_.data() + place.first_unmoved, place.unmoved};
  }
  int pred(std::size_t closing) const noexcept { return places_[closing].pred; }
  /// Of the loop: a small linkage of a large machine is judged by its own size.
  double length_m(std::size_t closing) const noexcept { return places_[closing].length_m; }
  /// The size of a row by the measure of the file's constraints (RowMeasure), whose length of the loop may be another;
  /// 1 where its joint is none of those that close loops there.
  double size_in_file(std::size_t closing, std::size_t row) const noexcept {
    return size_in_file_[places_[closing].first + row];
  }
  /// Whether the closing joint's own coordinates are unknowns.
  bool keeps_coordinates(std::size_t closing) const noexcept { return places_[closing].keeps_coordinates; }

 private:
  enum class Kind {
    kConstant,   // in the axes of pred
    kUniversal,  // so but for the first, which is square to both axes of a universal joint of the tree
    kOfLoop,     // as the closing joint of the file has them
  };
  struct Place {
    Kind kind = Kind::kConstant;
    int loop = -1;   // closing joint of the file
    int speed = -1;  // the first one of a joint of its tree
    int pred = 0;
    bool keeps_coordinates = false;
    double sign = 1.0;  // +1: the tip is the successor
    double length_m = 1.0;
    std::size_t first = 0, count = 0;
    std::size_t first_unmoved = 0, unmoved = 0;
  };

  static Place place_of(const Model& model, const GraphEdge& edge);

  IndexedVector<Place> places_;
  IndexedVector<SpatialVector> in_pred_;  // rows that are constant there
  IndexedVector<SpatialVector> rows_;
  IndexedVector<double> size_in_file_;
  IndexedVector<SpatialVector> unmoved_in_pred_;
};

}  // namespace kinloop
