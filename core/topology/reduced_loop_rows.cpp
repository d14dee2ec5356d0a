// Finds the rows that count by looking at samples, and turns them with their body.
#include "core/topology/reduced_loop_rows.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/at.hpp"
#include "core/constraints/rank_tolerance.hpp"
#include "core/math/pivoted_qr.hpp"

namespace kinloop {
namespace {

IndexedVector<SpatialVector> all_directions(double length_m) {
  const Mat3 axes = identity3();
  IndexedVector<SpatialVector> rows;
  rows.reserve(2 * axes.c.size());
  for (const Vec3& axis : axes.c) rows.push_back({axis, Vec3()});
  for (const Vec3& axis : axes.c) rows.push_back({Vec3(), (1.0 / length_m) * axis});
  return rows;
}

/// What a joint blocks, in the axes of its predecessor: constant there, or as at rest.
IndexedVector<SpatialVector> blocked_directions(const Model& model, const GraphEdge& edge, double length_m) {
  const bool in_tree = edge.loop < 0;
  JointSubspaces directions;
  if (in_tree) {
    const JointKind& kind = joint_kind(model.body(edge.joint).joint);
    directions = directions_at_rest(kind, model.joint_parameters(edge.joint), model.length_m());
  } else {
    directions = *model.loops()[edge.loop].directions;
  }
  const Mat3& R_PA = in_tree ? model.body(edge.joint).R_PA : model.loops()[edge.loop].R_PA;
  IndexedVector<SpatialVector> rows;
  for (std::size_t r = 0; r < at(directions.rows); ++r) {
    SpatialVector row = rotated(R_PA, directions.G[r]);
    row.linear = (model.length_m() / length_m) * row.linear;  // of constant directions, rows turn or slide
    rows.push_back(row);
  }
  return rows;
}

bool is_coupled(const Model& model, int speed) {
  return std::any_of(model.couplings().begin(), model.couplings().end(),
                     [&](const Coupling& c) { return c.v_dependent == speed || c.v_of == speed; });
}

/// Whether a joint of the tree can do without its coordinates: all free, without inertia or couplings, columns
/// orthonormal.
bool has_light_coordinates(const Model& model, const GraphEdge& edge) {
  const BodyConstants& body = model.body(edge.joint);
  const JointKind& kind = joint_kind(body.joint);
  const bool has_rows = kind.blocked == nullptr || kind.rotation == JointRotation::kTwoAxes;
  if (edge.slots != body.nv || !kind.orthonormal || !has_rows) return false;
  for (int i = body.v; i < body.v + body.nv; ++i) {
    if (model.coordinate(i).armature != 0.0 || is_coupled(model, i)) return false;
  }
  return true;
}

/// The farthest joint from the closing point among those next to it, as many as can span all directions. The way to a
/// base may lead through many other loops; their size says nothing about this one.
double length_of(const LoopGraph& graph, std::size_t closing, const IndexedVector<int>& path,
                 const IndexedVector<LoopSample>& samples, double otherwise) {
  double largest2 = 0.0;
  for (const LoopSample& sample : samples) {
    Vec3 arm = sample.motion.tip_arm[closing];
    int spanned = graph.edges[graph.closings[closing].edge].slots;
    for (const int b : path) {
      if (spanned >= 6) break;
      largest2 = std::max(largest2, dot(arm, arm));
      arm += sample.motion.r[b];
      spanned += graph.edges[graph.bodies[b].edge].slots;
    }
  }
  return largest2 > 0.0 ? std::sqrt(largest2) : otherwise;
}

struct SortedRows {
  IndexedVector<SpatialVector> needed;   // the fewest that take as much from the loop's columns as the given ones
  IndexedVector<SpatialVector> unmoved;  // what is left of those: they take nothing
};

/// Of rows that are constant in the axes of pred.
SortedRows sorted_rows(const IndexedVector<SpatialVector>& rows, const LoopGraph& graph, std::size_t closing,
                       const IndexedVector<int>& path, int pred, const IndexedVector<LoopSample>& samples) {
  IndexedVector<VectorX> taken;  // from each column at each sample
  for (const LoopSample& sample : samples) {
    for (const SpatialVector& column : loop_columns(graph, sample.motion, closing, path).columns) {
      VectorX values(rows.count());
      for (int r = 0; r < rows.count(); ++r) {
        values[r] = dot(rotated(sample.R[pred], rows[r]), column);
      }
      taken.push_back(values);
    }
  }
  PivotedQr qr(rows.count(), taken.count());
  double largest = 0.0;
  for (const VectorX& values : taken) largest = std::max(largest, values.norm());
  for (int i = 0; i < taken.count(); ++i) {
    qr.matrix().col(i) = taken[i];
    qr.active()[i] = taken[i].norm() > kRankTolerance * largest ? 1 : 0;
  }
  qr.factorize(kRankTolerance);
  if (static_cast<std::size_t>(qr.rank()) == rows.size()) return {rows, {}};
  SortedRows sorted;
  for (int i = 0; i < rows.count(); ++i) {
    VectorX direction = VectorX::Unit(rows.count(), i);
    qr.apply(direction);
    SpatialVector& sum = (i < qr.rank() ? sorted.needed : sorted.unmoved).emplace_back();
    for (int r = 0; r < rows.count(); ++r) sum = sum + direction[r] * rows[r];
  }
  return sorted;
}

}  // namespace

ReducedLoopRows::Place ReducedLoopRows::place_of(const Model& model, const GraphEdge& edge) {
  Place place;
  place.pred = edge.pred;
  place.loop = edge.loop;
  if (edge.loop >= 0) {
    if (!model.loops()[edge.loop].constant) place.kind = Kind::kOfLoop;
    return place;
  }
  const BodyConstants& body = model.body(edge.joint);
  place.speed = body.v;
  place.keeps_coordinates = !has_light_coordinates(model, edge);
  const bool has_two_axes = joint_kind(body.joint).rotation == JointRotation::kTwoAxes;
  if (has_two_axes && !place.keeps_coordinates) place.kind = Kind::kUniversal;
  return place;
}

ReducedLoopRows::ReducedLoopRows(const Model& model, const LoopGraph& graph, const IndexedVector<LoopSample>& samples) {
  for (int c = 0; c < graph.closings.count(); ++c) {
    const GraphEdge& edge = graph.edges[graph.closings[c].edge];
    const IndexedVector<int> path = path_to_base(graph, graph.closings[c]);
    Place place = place_of(model, edge);
    place.sign = graph.closings[c].sign;
    place.length_m = length_of(graph, c, path, samples, model.length_m());
    place.first = in_pred_.size();
    IndexedVector<SpatialVector> rows =
        place.keeps_coordinates ? all_directions(place.length_m) : blocked_directions(model, edge, place.length_m);
    place.first_unmoved = unmoved_in_pred_.size();
    if (place.kind == Kind::kConstant) {
      SortedRows sorted = sorted_rows(rows, graph, at(c), path, edge.pred, samples);
      rows = std::move(sorted.needed);
      unmoved_in_pred_.insert(unmoved_in_pred_.end(), sorted.unmoved.begin(), sorted.unmoved.end());
    }
    place.unmoved = unmoved_in_pred_.size() - place.first_unmoved;
    place.count = rows.size();
    places_.push_back(place);
    const double length_m = place.loop >= 0 ? model.loop_lengths_m()[at(place.loop)] : place.length_m;
    for (const SpatialVector& row : rows) {
      in_pred_.push_back(place.sign * row);
      const double size2 = dot(row.angular, row.angular) + length_m * length_m * dot(row.linear, row.linear);
      size_in_file_.push_back(place.loop >= 0 ? std::sqrt(size2) : 1.0);
    }
  }
  rows_ = in_pred_;
}

void ReducedLoopRows::update(const Workspace& ws) noexcept {
  for (const Place& place : places_) {
    const std::size_t end = place.first + place.count;
    if (place.kind == Kind::kOfLoop) {
      const LoopConstraint& constraint = ws.loop_constraint[at(place.loop)];
      for (std::size_t r = place.first; r < end; ++r) {
        rows_[r] = place.sign * constraint.G(static_cast<int>(r - place.first));
      }
      continue;
    }
    const Mat3& R = ws.motion[at(place.pred)].R;
    for (std::size_t r = place.first; r < end; ++r) rows_[r] = rotated(R, in_pred_[r]);
    if (place.kind == Kind::kUniversal) {
      rows_[place.first] = {place.sign * cross(ws.Hw[at(place.speed)], ws.Hw[at(place.speed + 1)]), Vec3()};
    }
  }
}

}  // namespace kinloop
