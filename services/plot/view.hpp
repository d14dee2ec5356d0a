// Owns the direction from which a mechanism is seen.
#pragma once

#include <span>

#include "core/spatial/types.hpp"
#include "services/plot/geometry.hpp"

namespace kinloop::plot {

/// kFront: x right, z up. kSide: y right, z up. kTop: x right, y up. kIso: all three axes equally shortened.
enum class ViewKind { kFront, kSide, kTop, kIso };

/// A parallel projection onto the plane of `right` and `up`, in metres. In kIso both are longer than one, so that
/// lengths along the axes are true: an isometric drawing.
struct Projection {
  Vector3 right, up;

  /// y up.
  Point operator()(const Vector3& p) const { return {p.dot(right), p.dot(up)}; }
};

/// Gravity points downwards in the picture wherever the view allows it.
Projection make_projection(ViewKind kind, const Vector3& gravity);

/// The plane in which something happens, kIso where it is truly spatial. `first` is how far things reach or move along
/// x, y and z; `second` decides where the first leaves a choice. Less than `flat` of the largest is nothing.
ViewKind choose_view(const Vector3& first, const Vector3& second, double flat);

/// How far apart the points are along x, y and z.
Vector3 spread(std::span<const Vector3> points);

}  // namespace kinloop::plot
