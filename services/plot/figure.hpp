// Owns the drawing of a stick figure at one posture.
#pragma once

#include <span>

#include "services/plot/joint_marks.hpp"
#include "services/plot/skeleton.hpp"
#include "services/plot/view.hpp"

namespace kinloop::plot {

/// World to canvas: a projection, then one scale for both axes.
struct Placement {
  Projection view;
  double pixels_per_metre = 1.0;
  Point origin;  // where the world's origin lands

  Point operator()(const Vector3& p) const {
    const Point metres = view(p);
    return {origin.x + pixels_per_metre * metres.x, origin.y - pixels_per_metre * metres.y};
  }
  /// A direction, in pixels a metre.
  Point direction(const Vector3& d) const {
    const Point metres = view(d);
    return {pixels_per_metre * metres.x, -pixels_per_metre * metres.y};
  }
};

/// Outlines of the bodies' shapes, lightly.
void draw_shapes(const Skeleton& skeleton, const Posture& posture, const Placement& place, Canvas& canvas);
/// Bodies, springs and joints, without the ground.
void draw_figure(const Skeleton& skeleton, const Posture& posture, const Placement& place, const FigureStyle& style,
                 Canvas& canvas);
/// What stands on the ground; `postures` are all that the picture shows, so that rails reach far enough.
void draw_ground(const Skeleton& skeleton, std::span<const Posture> postures, const Placement& place,
                 const FigureStyle& style, Canvas& canvas);

}  // namespace kinloop::plot
